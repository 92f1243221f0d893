import type { CallDetails } from '../../client/call-details.ts'
import type { KflField } from '../../client/hub.ts'
import { clauseFor, withClause } from '../../kfl/clause.ts'

/** What calls of the same kind have in common. */
const PATHS = [['proto'], ['src', 'svc'], ['dst', 'svc'], ['method'], ['path'], ['status']] as const

/** A filter that finds this call and those like it: the same ends, method, path and status. */
export function asKfl(
  call: CallDetails,
  fields: readonly Pick<KflField, 'name' | 'path' | 'type'>[],
): string {
  return PATHS.map((path) => clauseFor(path, valueAt(call, path), fields))
    .filter((clause) => clause !== undefined)
    .reduce(withClause, '')
}

function valueAt(call: CallDetails, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    call,
  )
}
