import type { TarEntry } from './tar-archive.mjs'

export interface Blob {
  readonly content: Buffer
  readonly path: string
  readonly descriptor: { readonly mediaType: string; readonly digest: string; readonly size: number }
}
export interface ImageDescription {
  readonly architecture: string
  readonly created: string
  readonly config: object
  readonly layers: readonly { readonly title: string; readonly entries: readonly TarEntry[] }[]
}
export interface BuiltImage {
  readonly architecture: string
  readonly manifest: Blob
  readonly configuration: Blob
  readonly layers: readonly {
    readonly title: string
    readonly bytes: number
    readonly packed: number
    readonly blob: Blob
  }[]
}
export interface ImageContent {
  readonly blobs: readonly Blob[]
  readonly manifests: readonly Blob[]
  readonly top: Blob
  readonly images: readonly BuiltImage[]
}
export function ociImage(image: ImageDescription): BuiltImage
export function ociContent(images: readonly BuiltImage[]): ImageContent
export function ociArchive(name: string, content: ImageContent): Buffer
