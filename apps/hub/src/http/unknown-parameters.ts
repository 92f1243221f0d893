import { type OperationName, operations } from '@tapdeck/api'
import { inputSchema } from '../input/json-schema.ts'
import { nearestNames } from '../nearest-names.ts'

const MAX_WARNINGS = 8
const MAX_CHARACTERS = 80

/** By operation, the names that it takes; undefined: any. */
const known = new Map<OperationName, readonly string[] | undefined>()

/**
 * Warnings about parameters that an operation does not know. They are passed over, since clients of other
 * systems and versions send more than we know; but a misspelled filter must be noticed. Names that
 * begin with `_` are there to be passed over.
 */
export function unknownParameters(operation: OperationName, given: Iterable<string>): string[] {
  const takes = namesOf(operation)
  if (takes === undefined) return []
  const unknown = [...given].filter((name) => !name.startsWith('_') && !takes.includes(name))
  return unknown.slice(0, MAX_WARNINGS).map((name) => {
    const [nearest] = nearestNames(name, takes, 1)
    const hint = nearest === undefined ? 'this operation has no parameters' : `did you mean "${nearest}"?`
    return `Ignored unknown parameter "${name.slice(0, MAX_CHARACTERS)}"; ${hint}`
  })
}

/** As a header, which is seen even if the body is not read: without what headers cannot carry. */
export function warningHeader(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {}
  return { 'tapdeck-warning': warnings.map((text) => text.replace(/[^ -~]/g, '?')).join(', ') }
}

function namesOf(operation: OperationName): readonly string[] | undefined {
  if (!known.has(operation)) {
    const schema = inputSchema(operations[operation].input)
    const takesAny = 'additionalProperties' in schema && schema.additionalProperties !== false
    known.set(operation, takesAny ? undefined : Object.keys(schema.properties))
  }
  return known.get(operation)
}
