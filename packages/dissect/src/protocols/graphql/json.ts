export type JsonObject = { readonly [key: string]: unknown }

/** Undefined where the text is no JSON: bodies may be cut. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is sent alone or as a list of several. */
export function objectsOf(value: unknown): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject)
}
