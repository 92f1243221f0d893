export function krewManifest(release: {
  readonly version: string
  readonly summary: string
  readonly archives: readonly {
    readonly fileName: string
    readonly sha256: string
    readonly os: string
    readonly architecture: string
  }[]
}): string
