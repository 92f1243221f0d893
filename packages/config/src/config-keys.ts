import { z } from 'zod'
import { configSchema } from './schema.ts'

/** One key of the configuration tree, as documentation and error messages speak of it. */
export interface ConfigKey {
  readonly path: string
  readonly accepts: string
  readonly default: unknown
  readonly doc: string
}

interface Described {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Described>>
  readonly items?: Described
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly description?: string
  readonly accepts?: string
}

/** THE list of keys, in the order of the schema, from which it is made. */
export const configKeys: readonly ConfigKey[] = keysOf(
  z.toJSONSchema(configSchema, { io: 'input' }) as Described,
  configSchema.parse({}),
  [],
)

function keysOf(described: Described, value: unknown, path: readonly string[]): ConfigKey[] {
  if (described.properties === undefined)
    return [
      {
        path: path.join('.'),
        accepts: acceptsOf(described),
        default: value,
        doc: described.description ?? '',
      },
    ]
  return Object.entries(described.properties).flatMap(([name, inner]) =>
    keysOf(inner, (value as Record<string, unknown>)[name], [...path, name]),
  )
}

function acceptsOf(described: Described): string {
  if (described.accepts !== undefined) return described.accepts
  if (described.enum !== undefined) return described.enum.join(', ')
  switch (described.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number from ${described.minimum} to ${described.maximum}`
    case 'array':
      return 'a list of texts'
    default:
      return 'a text'
  }
}
