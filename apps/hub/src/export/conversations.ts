import { createHash } from 'node:crypto'
import { PacketEnds } from '@tapdeck/wire'

interface Peer {
  readonly ip: string
  readonly port: number
}

/** Unix microseconds. */
interface Span {
  from: number
  until: number
}

/** Conversations of nodes, each with the time it is wanted in. */
export class Conversations {
  readonly #hashes = new Set<number>()
  readonly #spans = new Map<string, Span>()
  readonly #ends = new PacketEnds()

  /** Tells two of these apart. */
  digest(): string {
    const hash = createHash('sha256')
    for (const [key, { from, until }] of this.#spans) hash.update(`${key} ${from} ${until}\n`)
    return hash.digest('base64url')
  }

  /** Several times of one conversation become one, from the first to the last. */
  add(node: string, src: Peer, dst: Peer, from: number, until: number): void {
    this.#hashes.add(PacketEnds.hashOf(src.ip, src.port, dst.ip, dst.port))
    const key = keyOf(node, src.ip, src.port, dst.ip, dst.port)
    const known = this.#spans.get(key)
    if (known === undefined) {
      this.#spans.set(key, { from, until })
      return
    }
    known.from = Math.min(known.from, from)
    known.until = Math.max(known.until, until)
  }

  has(
    node: string,
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    link: number,
  ): boolean {
    const ends = this.#ends
    if (!ends.read(data, start, end, length, link) || !this.#hashes.has(ends.hash)) return false
    const { source, sourcePort, destination, destinationPort } = ends
    const span = this.#spans.get(keyOf(node, source, sourcePort, destination, destinationPort))
    return span !== undefined && time >= span.from && time <= span.until
  }
}

function keyOf(node: string, ip: string, port: number, otherIp: string, otherPort: number): string {
  const [one, other] = [`${ip} ${port}`, `${otherIp} ${otherPort}`]
  return one < other ? `${node} ${one} ${other}` : `${node} ${other} ${one}`
}
