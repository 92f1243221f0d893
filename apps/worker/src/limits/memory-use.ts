import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Memory of this container, and how much of it is in use. Page cache does not count: the kernel takes it back. */
export interface MemoryUse {
  readonly limitBytes: number
  readonly usedBytes: number
}

/** A limit above this is none. */
const NO_LIMIT = 2 ** 60

interface CgroupFiles {
  readonly folder: string
  /** The line of /proc/self/cgroup with the path of this process. */
  readonly ownPath: RegExp
  readonly limit: string
  readonly current: string
  readonly cache: readonly string[]
}

/** The files of cgroup version 2 and version 1, as a container sees them. */
const VERSIONS: readonly CgroupFiles[] = [
  {
    folder: '',
    ownPath: /^0::(\/.*)$/m,
    limit: 'memory.max',
    current: 'memory.current',
    cache: ['inactive_file', 'active_file'],
  },
  {
    folder: 'memory',
    ownPath: /^\d+:memory:(\/.*)$/m,
    limit: 'memory.limit_in_bytes',
    current: 'memory.usage_in_bytes',
    cache: ['total_inactive_file', 'total_active_file'],
  },
]

/** Undefined where this process has no memory limit. */
export function readMemoryUse(root = '/sys/fs/cgroup', own = '/proc/self/cgroup'): MemoryUse | undefined {
  const paths = readText(own) ?? ''
  for (const version of VERSIONS) {
    const [, path = '/'] = version.ownPath.exec(paths) ?? []
    // In a container, the folder of its own group is the root, whatever the path says.
    const use =
      readGroup(join(root, version.folder, path), version) ?? readGroup(join(root, version.folder), version)
    if (use !== undefined) return use
  }
  return undefined
}

function readGroup(folder: string, { limit, current, cache }: CgroupFiles): MemoryUse | undefined {
  const limitBytes = readNumber(join(folder, limit))
  const inUse = readNumber(join(folder, current))
  if (limitBytes === undefined || limitBytes > NO_LIMIT || inUse === undefined) return undefined
  const stat = readText(join(folder, 'memory.stat')) ?? ''
  const cached = cache.map((name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0))
  return { limitBytes, usedBytes: Math.max(0, inUse - cached.reduce((sum, bytes) => sum + bytes, 0)) }
}

/** `max` and files that are not there give undefined. */
function readNumber(file: string): number | undefined {
  const text = readText(file)?.trim() ?? ''
  return /^\d+$/.test(text) ? Number(text) : undefined
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
