interface PageFile {
  readonly name: string
  readonly isFirst: boolean
  readonly gzipped: number
}

interface PageBundle {
  readonly metafile: { readonly outputs: object }
  readonly outputFiles: readonly { readonly path: string; readonly contents: Uint8Array }[]
}

export function pageWeight(bundle: PageBundle, entryPoint: string): PageFile[]
export function firstLoadKb(files: readonly PageFile[]): number
