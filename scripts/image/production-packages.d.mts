import type { TarEntry } from './tar-archive.mjs'

export function productionPackages(
  root: string,
  names: readonly string[],
  platform: { readonly os?: 'linux' | 'darwin'; readonly architecture: string },
): (TarEntry & { readonly source: string })[]
