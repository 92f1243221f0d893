import { z } from 'zod'

export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required?: readonly string[]
}

/** What callers may send, as JSON Schema: the form before defaults and conversions. */
export function inputSchema(schema: z.ZodType): ObjectSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return { type: 'object', properties: {}, ...rest } as ObjectSchema
}

export function outputSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  return rest
}
