import type { TarEntry } from './tar-archive.mjs'

export function productionPackages(root: string, names: readonly string[], architecture: string): TarEntry[]
export function nodeFromRegistry(architecture: string): Buffer
