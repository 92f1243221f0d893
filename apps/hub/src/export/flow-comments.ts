import type { Names, Resolver } from '@tapdeck/inventory'
import { PacketEnds } from '@tapdeck/wire'
import { RecentConnections } from './recent-connections.ts'

/** Conversations that are remembered as commented; beyond them there are no more comments. */
const MAX_FLOWS = 1_000_000

/** A comment for the first packet of each conversation: who talks to whom, by name. */
export class FlowComments {
  readonly #resolver: Pick<Resolver, 'resolve'>
  readonly #ends = new PacketEnds()
  readonly #commented = new Set<number>()
  readonly #lately = new RecentConnections()
  readonly #encoder = new TextEncoder()

  constructor(resolver: Pick<Resolver, 'resolve'>) {
    this.#resolver = resolver
  }

  /** Undefined if it has a comment already, or where neither end has a name. */
  of(
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    link: number,
  ): Uint8Array | undefined {
    if (this.#lately.has(data, start, end, link)) return undefined
    const ends = this.#ends
    if (!ends.read(data, start, end, length, link)) return undefined
    this.#lately.add()
    if (this.#commented.has(ends.hash) || this.#commented.size >= MAX_FLOWS) return undefined
    this.#commented.add(ends.hash)
    const { source, sourcePort, destination, destinationPort } = ends
    const from = nameOf(this.#resolver.resolve(source, sourcePort, time / 1000))
    const to = nameOf(this.#resolver.resolve(destination, destinationPort, time / 1000))
    if (from === undefined && to === undefined) return undefined
    return this.#encoder.encode(`${from ?? source}:${sourcePort} → ${to ?? destination}:${destinationPort}`)
  }
}

/** A pod is more specific than its service. */
function nameOf({ pod, svc, ns }: Names): string | undefined {
  const name = pod ?? svc
  return name === undefined ? undefined : ns === undefined ? name : `${name}.${ns}`
}
