import type { Flow, Side } from '@tapdeck/wire'
import type { RecordedEvent } from './recorded-event.ts'

/** One end of a conversation. */
interface End {
  readonly ip: string
  readonly port: number
}

/** What was found for a flow, for as long as nothing new is known and its ends stay where they are. */
interface Found {
  readonly version: number
  readonly client: End
  readonly names: readonly [string | undefined, string | undefined]
}

interface Owned {
  readonly ts: number
  readonly name: string
}

const MAX_CONNECTIONS = 65_536
const MAX_LISTENERS = 16_384
/** Of one address and port, how many owners are remembered, one after the other. */
const MAX_OWNERS = 4
/** The clocks of packets and of events may differ by so much, in milliseconds. */
const SLACK = 1000

/** Types of the events that say which process owns a connection. */
export const ownershipTypes: ReadonlySet<string> = new Set(['connection_open', 'listen_open'])

/**
 * Which process was at an end of a conversation, as events told it: the one that opened it, or the one that listened
 * there. Names outlive their processes. The same events and packets give the same names, live or later.
 */
export class Owners {
  /** Conversations that made room for others. */
  forgotten = 0
  readonly #connections = new Map<string, Owned[]>()
  readonly #listeners = new Map<string, Owned[]>()
  readonly #found = new WeakMap<Flow, Found>()
  #version = 0

  /** Takes what an event says of ownership; of any other it takes nothing. */
  learn(event: RecordedEvent): void {
    const { type, ts, comm, local, remote, transport, netns, ips } = event
    if (!ownershipTypes.has(type) || typeof comm !== 'string' || typeof local !== 'string') return
    const protocol = transport === 'udp' ? 'udp' : 'tcp'
    // The loopback of another network namespace is not the one whose packets are captured.
    if (netns !== undefined && isLoopback(local)) return
    const owned = { ts, name: comm }
    if (type === 'connection_open') {
      if (typeof remote === 'string')
        this.#add(this.#connections, `${protocol} ${local} ${remote}`, owned, MAX_CONNECTIONS)
      return
    }
    const port = local.slice(local.lastIndexOf(':') + 1)
    const at = Array.isArray(ips) ? ips.map((ip) => textOf(String(ip), port)) : [local]
    for (const address of at)
      if (netns === undefined || !isLoopback(address))
        this.#add(this.#listeners, `${protocol} ${address}`, owned, MAX_LISTENERS)
  }

  /** Who was on a side of a flow. */
  of(flow: Flow, side: Side): string | undefined {
    if (this.#version === 0) return undefined
    const [client, server] = flow.ends
    const known = this.#found.get(flow)
    if (known?.version === this.#version && known.client === client) return known.names[side]
    const time = flow.start / 1000
    const names = [
      this.name(flow.transport, client, server, time),
      this.name(flow.transport, server, client, time),
    ] as const
    this.#found.set(flow, { version: this.#version, client, names })
    return names[side]
  }

  /** Who was at `end` of a conversation with `other` that began at `time`, Unix milliseconds. */
  name(transport: string, end: End, other: End, time: number): string | undefined {
    const local = textOf(end.ip, end.port)
    const connections = this.#connections.get(`${transport} ${local} ${textOf(other.ip, other.port)}`)
    return at(connections ?? this.#listeners.get(`${transport} ${local}`), time)
  }

  #add(map: Map<string, Owned[]>, key: string, owned: Owned, most: number): void {
    const known = map.get(key) ?? []
    if (known.at(-1)?.name === owned.name && known.at(-1)!.ts <= owned.ts) return
    const owners = [...known, owned].sort((a, b) => a.ts - b.ts).slice(-MAX_OWNERS)
    this.#version++
    map.delete(key)
    map.set(key, owners)
    if (map.size <= most) return
    for (const oldest of map.keys()) {
      map.delete(oldest)
      this.forgotten++
      return
    }
  }
}

/** The last owner before the time; if there is none, the first one after it. */
function at(owners: readonly Owned[] | undefined, time: number): string | undefined {
  if (owners === undefined) return undefined
  return (owners.findLast(({ ts }) => ts <= time + SLACK) ?? owners[0])?.name
}

function textOf(ip: string, port: number | string): string {
  return `${ip}:${port}`
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address.startsWith('::1:')
}
