export function parseReference(text: string): {
  readonly registry: string
  readonly name: string
  readonly tag: string
}
export function registryAddress(registry: string): string
