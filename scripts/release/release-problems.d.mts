export function releaseProblems(release: {
  readonly tag: string
  readonly version: string
  readonly names: Readonly<Record<string, string>>
  readonly changelog: string
  readonly isChanged: boolean
}): string[]
