/** The values that are not undefined, under the same names. */
export function definedValues(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defined: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) if (value !== undefined) defined[name] = value
  return defined
}
