import type { Names, Resolver } from '@tapdeck/inventory'
import { PacketEnds } from '@tapdeck/wire'
import { ToldPorts } from './told-ports.ts'

/** Conversations that are remembered as told; beyond them nothing is told any more. */
const MOST_FLOWS = 1_000_000

/** A comment for the first packet of each conversation: who talks to whom, by name. */
export class FlowComments {
  readonly #resolver: Resolver
  readonly #ends = new PacketEnds()
  readonly #told = new Set<number>()
  readonly #lately = new ToldPorts()
  readonly #encoder = new TextEncoder()

  constructor(resolver: Resolver) {
    this.#resolver = resolver
  }

  /** Undefined where it was told already, or where neither end has a name. */
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
    if (this.#told.has(ends.hash) || this.#told.size >= MOST_FLOWS) return undefined
    this.#told.add(ends.hash)
    const { source, sourcePort, destination, destinationPort } = ends
    const from = nameOf(this.#resolver.resolve(source, sourcePort, time / 1000))
    const to = nameOf(this.#resolver.resolve(destination, destinationPort, time / 1000))
    if (from === undefined && to === undefined) return undefined
    return this.#encoder.encode(`${from ?? source}:${sourcePort} → ${to ?? destination}:${destinationPort}`)
  }
}

/** A pod tells more than the service it stands behind. */
function nameOf({ pod, svc, ns }: Names): string | undefined {
  const name = pod ?? svc
  return name === undefined ? undefined : ns === undefined ? name : `${name}.${ns}`
}
