import { readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { textPattern } from '@tapdeck/kfl'
import { namespaceOf } from '../os/socket-scan.ts'
import type { IsTargeted } from './targeted-processes.ts'

const MAX_GROUPS = 4096
const MAX_ROUTES_BYTES = 256 * 1024
/** An address of the machine itself, in the table of routes of its network namespace. */
const LOCAL_ADDRESS = /\|-- (\d+\.\d+\.\d+\.\d+)\n\s+\/32 host LOCAL/g

export interface PodName {
  readonly ns?: string | undefined
  readonly pod?: string | undefined
}

export interface ProcessTargetOptions {
  /** Names of processes of the machine itself; empty: none. */
  readonly processes: string
  /** Pods of these namespaces; empty: no pods. */
  readonly namespaces: readonly string[]
  /** Of them, pods with these names. */
  readonly regex: string
  /** The pod with this address, if there is one. Absent: there are no pods. */
  podAt?(ip: string): PodName | undefined
}

/**
 * Decides by the name of the process, or by the pod that it runs in. The pod is found by the addresses of its network
 * namespace, so pods in the network of the node are targeted by the names of their processes only. Throws `SyntaxError`
 * for a bad regular expression.
 */
export function createProcessTargets(options: ProcessTargetOptions): IsTargeted {
  const names = options.processes === '' ? undefined : textPattern(options.processes)
  const pods = textPattern(options.regex)
  const wanted = new Set(options.namespaces)
  const own = namespaceOf('self')
  /** For processes that have ended: what was found for another process of their control group. */
  const groups = new Map<bigint, 'machine' | boolean>()

  const isTargetedPod = (pid: number): boolean =>
    addressesOf(pid).some((ip) => {
      const { ns, pod } = options.podAt?.(ip) ?? {}
      return ns !== undefined && wanted.has(ns) && pod !== undefined && pods.test(pod)
    })

  const placeOf = (pid: number, cgroup: bigint | undefined): 'machine' | boolean => {
    const network = namespaceOf(pid)
    if (network === undefined)
      return (
        (cgroup === undefined ? undefined : groups.get(cgroup)) ?? (wanted.size === 0 ? 'machine' : false)
      )
    const place = network === own ? 'machine' : isTargetedPod(pid)
    if (cgroup !== undefined && groups.size < MAX_GROUPS) groups.set(cgroup, place)
    return place
  }

  return ({ pid, comm, cgroup }) => {
    const place = placeOf(pid, cgroup)
    if (place !== 'machine') return place
    // Newer versions of Node.js rename their main thread, so the name of the program counts, too.
    return names !== undefined && (names.test(comm) || names.test(programOf(pid)))
  }
}

function programOf(pid: number): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`))
  } catch {
    return ''
  }
}

function addressesOf(pid: number): string[] {
  try {
    const routes = readFileSync(`/proc/${pid}/net/fib_trie`, 'latin1').slice(0, MAX_ROUTES_BYTES)
    const found = [...routes.matchAll(LOCAL_ADDRESS)].map(([, ip = '']) => ip)
    return [...new Set(found)].filter((ip) => !ip.startsWith('127.'))
  } catch {
    return []
  }
}
