export function mcpServerEntry(): {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly packages: readonly { readonly identifier: string; readonly version: string }[]
}
