export function packageManifest(): {
  readonly name: string
  readonly mcpName: string
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly scripts?: object
}
