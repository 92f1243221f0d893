export function provenance(
  files: readonly { readonly path: string; readonly sha256: string }[],
  imageDigest: string,
): {
  readonly _type: string
  readonly subject: readonly { readonly name: string; readonly digest: Readonly<Record<string, string>> }[]
  readonly predicateType: string
  readonly predicate: {
    readonly buildDefinition: {
      readonly resolvedDependencies: readonly {
        readonly uri: string
        readonly digest: Readonly<Record<string, string>>
      }[]
    }
  }
}
