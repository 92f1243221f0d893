import { MAX_FILTER, Problem } from '@tapdeck/api'
import type { z } from 'zod'
import { inputSchema } from './json-schema.ts'

interface Bounds {
  readonly maxItems: ReadonlyMap<string, number>
  readonly filters: readonly string[]
}

const bounds = new WeakMap<z.ZodType, Bounds>()

/**
 * Refuses lists and filters that are too long before the schema looks at them: it would check every item, and make an
 * error of each.
 */
export function refuseTooLarge(schema: z.ZodType, input: unknown): void {
  if (typeof input !== 'object' || input === null) return
  const { maxItems, filters } = boundsOf(schema)
  for (const [name, limit] of maxItems) {
    const value: unknown = Reflect.get(input, name)
    if (Array.isArray(value) && value.length > limit)
      throw new Problem(400, 'too_many_items', `${name} has ${value.length} items (max ${limit})`, {
        limit,
        hint: `Send ${name} in several requests.`,
      })
  }
  for (const name of filters) {
    const value: unknown = Reflect.get(input, name)
    if (typeof value === 'string' && value.length > MAX_FILTER) throw filterTooLong(value.length)
  }
}

export function filterTooLong(length: number): Problem {
  return new Problem(400, 'filter_too_large', `The filter is ${length} characters long (max ${MAX_FILTER})`, {
    limit: MAX_FILTER,
    hint: 'Use a CIDR block, a range, startswith or matches instead of a long list.',
  })
}

function boundsOf(schema: z.ZodType): Bounds {
  const known = bounds.get(schema)
  if (known) return known
  const maxItems = new Map<string, number>()
  const filters: string[] = []
  for (const [name, property] of Object.entries(inputSchema(schema).properties)) {
    if (typeof property.maxItems === 'number') maxItems.set(name, property.maxItems)
    if (name === 'kfl') filters.push(name)
  }
  const made = { maxItems, filters }
  bounds.set(schema, made)
  return made
}
