import { type OperationName, operations } from '@tapdeck/api'
import { nearestNames } from '../nearest-names.ts'
import { inputSchema } from './json-schema.ts'

const MOST_TOLD = 8
const MOST_CHARACTERS = 80

/** By operation, the names that it takes; undefined: any. */
const known = new Map<OperationName, readonly string[] | undefined>()

/**
 * What a caller is told of parameters that an operation does not know. They are passed over, since clients of other
 * systems and versions send more than we know; but nobody shall take a filter for applied that was misspelled. Names that
 * begin with `_` are there to be passed over.
 */
export function unknownParameters(operation: OperationName, given: Iterable<string>): string[] {
  const takes = namesOf(operation)
  if (takes === undefined) return []
  const unknown = [...given].filter((name) => !name.startsWith('_') && !takes.includes(name))
  return unknown.slice(0, MOST_TOLD).map((name) => {
    const [nearest] = nearestNames(name, takes, 1)
    const hint = nearest === undefined ? 'there are none here' : `the nearest is "${nearest}"`
    return `the parameter "${name.slice(0, MOST_CHARACTERS)}" is not known and was ignored; ${hint}`
  })
}

/** As a header, which is seen where nobody reads the body: without what headers cannot carry. */
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
