import type { TarEntry } from './tar-archive.mjs'

export interface ImageDescription {
  readonly name: string
  readonly architecture: string
  readonly created: string
  readonly config: object
  readonly layers: readonly { readonly title: string; readonly entries: readonly TarEntry[] }[]
}
export interface BuiltImage {
  readonly archive: Buffer
  readonly digest: string
  readonly layers: readonly { readonly title: string; readonly bytes: number; readonly packed: number }[]
}
export function ociImage(image: ImageDescription): BuiltImage
