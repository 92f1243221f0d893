export function homebrewFormula(release: {
  readonly version: string
  readonly summary: string
  readonly license: string
  readonly fileName: string
  readonly sha256: string
}): string
