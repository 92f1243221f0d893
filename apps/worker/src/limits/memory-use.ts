import { ownCgroups, readNumber, readNumbers } from './own-cgroup.ts'

/** Memory of this container, and how much of it is in use. Page cache does not count: the kernel takes it back. */
export interface MemoryUse {
  readonly limitBytes: number
  readonly usedBytes: number
}

/** A limit above this is none. */
const NO_LIMIT = 2 ** 60

/** The files of both versions of cgroups, as a container sees them. */
const FILES = {
  2: { limit: 'memory.max', current: 'memory.current', cache: ['inactive_file', 'active_file'] },
  1: {
    limit: 'memory.limit_in_bytes',
    current: 'memory.usage_in_bytes',
    cache: ['total_inactive_file', 'total_active_file'],
  },
} as const

/** Undefined where this process has no memory limit. */
export function readMemoryUse(root?: string, own?: string): MemoryUse | undefined {
  for (const { version, folder } of ownCgroups('memory', root, own)) {
    const { limit, current, cache } = FILES[version]
    const limitBytes = readNumber(folder, limit)
    const inUse = readNumber(folder, current)
    if (limitBytes === undefined || limitBytes > NO_LIMIT || inUse === undefined) continue
    const cached = readNumbers(folder, 'memory.stat', cache).reduce((sum, bytes) => sum + bytes, 0)
    return { limitBytes, usedBytes: Math.max(0, inUse - cached) }
  }
  return undefined
}
