import type { TarEntry } from './tar-archive.mjs'

export function writeFolder(
  target: string,
  layers: readonly { readonly entries: readonly TarEntry[] }[],
): void
