import { readFileSync } from 'node:fs'
import { formatHostIp, formatIPv4, formatIPv6 } from '@tapdeck/ip'

const STATE = { established: 1, close: 7, listen: 10 } as const
const MAX_SOCKETS = 50_000

export interface Socket {
  readonly inode: number
  readonly transport: 'tcp' | 'udp'
  readonly local: string
  /** Absent for a listening socket. */
  readonly remote?: string
}

/** The open and listening sockets of the network namespace of a process. */
export function socketsOf(pid: number | 'self'): Socket[] {
  return [
    ...parseSockets(read(`/proc/${pid}/net/tcp`), 'tcp'),
    ...parseSockets(read(`/proc/${pid}/net/tcp6`), 'tcp'),
    ...parseSockets(read(`/proc/${pid}/net/udp`), 'udp'),
    ...parseSockets(read(`/proc/${pid}/net/udp6`), 'udp'),
  ]
}

/** Reads a table such as /proc/net/tcp. */
export function parseSockets(text: string, transport: 'tcp' | 'udp'): Socket[] {
  const sockets: Socket[] = []
  for (const line of text.split('\n').slice(1, MAX_SOCKETS)) {
    const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/)
    if (local === undefined || remote === undefined || state === undefined || !(Number(inode) > 0)) continue
    const code = Number.parseInt(state, 16)
    const waits = transport === 'tcp' ? code === STATE.listen : code === STATE.close
    if (!waits && code !== STATE.established) continue
    const socket = { inode: Number(inode), transport, local: addressOf(local) }
    sockets.push(waits ? socket : { ...socket, remote: addressOf(remote) })
  }
  return sockets
}

/** The local addresses of the network namespace of a process. */
export function localAddresses(pid: number | 'self'): string[] {
  const v4 = [...read(`/proc/${pid}/net/fib_trie`).matchAll(/\|-- ([\d.]+)\n\s+\/32 host LOCAL/g)]
  const v6 = [...read(`/proc/${pid}/net/if_inet6`).matchAll(/^([0-9a-f]{32}) /gm)]
  return [
    ...new Set([...v4.map(([, ip]) => ip!), ...v6.map(([, hex]) => formatIPv6(Buffer.from(hex!, 'hex'), 0))]),
  ]
}

/** 32-bit words in host byte order, then the port in hex. */
function addressOf(text: string): string {
  const [words = '', port = ''] = text.split(':')
  const bytes = Buffer.from(words, 'hex')
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse()
  const ip = bytes.length === 4 ? formatIPv4(bytes, 0) : formatHostIp(bytes, 0)
  return `${ip}:${Number.parseInt(port, 16)}`
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
