import type { FieldValue } from '../contract/message.ts'

/** The value if it is a record, such as the error of a server. */
export function recordOf(value: FieldValue | undefined): { readonly [name: string]: FieldValue } | undefined {
  return isRecord(value) ? value : undefined
}

export function textOf(value: FieldValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isRecord(value: FieldValue | undefined): value is { readonly [name: string]: FieldValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
