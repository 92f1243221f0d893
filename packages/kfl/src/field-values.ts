import type { CatalogField } from './field.ts'
import { readField } from './read-field.ts'

type Value = string | number | boolean

/** A reader of the values that a field has in a call, one by one: of a list its elements, of a map the entry of a key. */
export function fieldValues(field: CatalogField, key?: string): (call: object) => readonly Value[] {
  const read = readField(field)
  const wanted = key?.toLowerCase()
  return (call) => {
    const value = read(call)
    if (wanted === undefined) return scalars(value)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const found = Object.entries(value).find(([name]) => name.toLowerCase() === wanted)
    return found ? scalars(found[1]) : []
  }
}

function scalars(value: unknown): readonly Value[] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [value]
  return Array.isArray(value) ? value.flatMap(scalars) : []
}
