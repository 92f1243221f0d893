import { readdirSync, readlinkSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { localAddresses, type Socket, socketsOf } from './socket-table.ts'

const MAX_PROCESSES = 32_768
const MAX_NAMESPACES = 256
const MAX_FILES = 4096

export interface OwnedSocket extends Socket {
  readonly pid: number
  /** The network namespace, if it is not the worker's own. */
  readonly netns?: number
  /** The local addresses of a socket that listens on all of them. */
  readonly ips?: readonly string[]
}

/** Pids of the running processes. */
export function pids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .slice(0, MAX_PROCESSES)
    .map(Number)
}

/** All sockets with their processes, in every network namespace that can be read. Works in small steps. */
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
      if (spaces.size >= MAX_NAMESPACES) continue
      sockets = new Map(socketsOf(pid).map((socket) => [socket.inode, socket]))
      spaces.set(netns, sockets)
    }
    if (sockets.size === 0) continue
    for (const inode of socketInodes(pid)) {
      const socket = sockets.get(inode)
      // If several processes share a socket, the first one opened it.
      if (socket === undefined || taken.has(socket)) continue
      taken.add(socket)
      const ips = socket.remote === undefined ? listensAt(socket.local, pid) : undefined
      found.push({ ...socket, pid, ...(netns !== own && { netns }), ...(ips && { ips }) })
    }
  }
  return found
}

/** The local addresses behind a wildcard address; undefined for any other address. */
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
    for (const fd of readdirSync(`/proc/${pid}/fd`).slice(0, MAX_FILES)) {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
      if (inode !== undefined) inodes.push(Number(inode))
    }
  } catch {
    // The process has ended, or may not be read.
  }
  return inodes
}
