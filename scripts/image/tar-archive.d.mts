export interface TarEntry {
  readonly path: string
  readonly mode: number
  readonly content?: Buffer
  readonly link?: string
  readonly owner?: number
}
export function tarArchive(entries: readonly TarEntry[]): Buffer
