import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { localAddresses, type Socket, socketsOf } from './socket-table.ts'

const MOST_PROCESSES = 32_768
const MOST_NAMESPACES = 256
const MOST_FILES = 4096

export interface OwnedSocket extends Socket {
  readonly pid: number
  /** The network namespace, where it is not our own. */
  readonly netns?: number
  /** Where it listens, if that is everywhere. */
  readonly ips?: readonly string[]
}

/** Pids of the processes that are there. */
export function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .slice(0, MOST_PROCESSES)
    .map(Number)
}

/** All sockets and the processes that hold them, in every network namespace that we may look into; a little at a time. */
export async function scanSockets(): Promise<OwnedSocket[]> {
  const own = namespaceOf('self')
  const spaces = new Map<number, Map<number, Socket>>()
  const found: OwnedSocket[] = []
  const taken = new Set<Socket>()
  for (const pid of pids()) {
    await setImmediate()
    const netns = namespaceOf(pid)
    if (netns === undefined) continue
    let sockets = spaces.get(netns)
    if (sockets === undefined) {
      if (spaces.size >= MOST_NAMESPACES) continue
      sockets = new Map(socketsOf(pid).map((socket) => [socket.inode, socket]))
      spaces.set(netns, sockets)
    }
    if (sockets.size === 0) continue
    for (const inode of socketInodes(pid)) {
      const socket = sockets.get(inode)
      // Of several processes that share one, the first has opened it.
      if (socket === undefined || taken.has(socket)) continue
      taken.add(socket)
      const ips = socket.remote === undefined ? listensAt(socket.local, pid) : undefined
      found.push({ ...socket, pid, ...(netns !== own && { netns }), ...(ips && { ips }) })
    }
  }
  return found
}

/** The addresses behind one that stands for all; undefined where it stands for itself. */
export function listensAt(local: string, pid: number | 'self'): string[] | undefined {
  if (local.startsWith('0.0.0.0:')) return localAddresses(pid).filter((ip) => !ip.includes(':'))
  return local.startsWith(':::') ? localAddresses(pid) : undefined
}

export function namespaceOf(pid: number | 'self'): number | undefined {
  try {
    return statSync(`/proc/${pid}/ns/net`).ino
  } catch {
    return undefined
  }
}

function socketInodes(pid: number): number[] {
  const inodes: number[] = []
  try {
    for (const fd of readdirSync(`/proc/${pid}/fd`).slice(0, MOST_FILES)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
      if (inode !== undefined) inodes.push(Number(inode))
    }
  } catch {
    // It ended, or is not ours to look into.
  }
  return inodes
}
