import { existsSync, readdirSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Capture {
  /** Such as `redis/commands`, or the path below the folder of other projects' captures. */
  readonly name: string
  readonly file: string
}

const protocols = fileURLToPath(new URL('../../packages/dissect/src/protocols/', import.meta.url))
/** Captures of other projects, which are not part of this repository: used if present next to it. */
const beside = fileURLToPath(new URL('../../../shared/captures/packetbeat/', import.meta.url))

/** The captures in the folders of the protocols. */
export const ownCaptures: readonly Capture[] = pcapsBelow(protocols).map((file) => ({
  name: relative(protocols, file)
    .replace('/captures/', '/')
    .replace(/\.pcap$/, ''),
  file,
}))

export const publicCaptures: readonly Capture[] = pcapsBelow(beside).map((file) => ({
  name: relative(beside, file),
  file,
}))

function pcapsBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pcap'))
    .sort()
    .map((name) => `${folder}${name}`)
}
