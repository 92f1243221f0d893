import { readFileSync } from 'node:fs'
import { canonicalIp } from '@tapdeck/inventory'

const STATE = { established: 1, close: 7, listen: 10 } as const
const MOST_SOCKETS = 50_000

export interface Socket {
  readonly inode: number
  readonly transport: 'tcp' | 'udp'
  readonly local: string
  /** Absent where it waits for anybody. */
  readonly remote?: string
}

/** The sockets of the network namespace that a process is in, open or listening. */
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
  for (const line of text.split('\n').slice(1, MOST_SOCKETS)) {
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

/** The addresses that the network namespace of a process has itself. */
export function localAddresses(pid: number | 'self'): string[] {
  const v4 = [...read(`/proc/${pid}/net/fib_trie`).matchAll(/\|-- ([\d.]+)\n\s+\/32 host LOCAL/g)]
  const v6 = [...read(`/proc/${pid}/net/if_inet6`).matchAll(/^([0-9a-f]{32}) /gm)]
  const groups = v6.map(([, hex]) => hex!.match(/.{4}/g)!.join(':'))
  return [...new Set([...v4.map(([, ip]) => ip!), ...groups.map((ip) => canonicalIp(ip) ?? ip)])]
}

/** Words of 32 bits in the byte order of the machine, then the port in hex. */
function addressOf(text: string): string {
  const [words = '', port = ''] = text.split(':')
  const bytes = Buffer.from(words, 'hex')
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse()
  const mapped = bytes.length === 16 && bytes.subarray(0, 12).toString('hex') === `${'0'.repeat(20)}ffff`
  const ip =
    bytes.length === 4 || mapped
      ? [...bytes.subarray(-4)].join('.')
      : bytes.toString('hex').match(/.{4}/g)!.join(':')
  return `${canonicalIp(ip) ?? ip}:${Number.parseInt(port, 16)}`
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
