import { createHash } from 'node:crypto'
import { ANY_PORT_KEY, addressKey, PacketEnds, PacketKeys, portKey } from '@tapdeck/wire'

interface Peer {
  readonly ip: string
  readonly port: number
}

/** Unix microseconds. */
interface Span {
  from: number
  until: number
}

/** Of all conversations of a node: hosts and ports of the requesters and of the responders, and the time. */
interface WantedOfNode extends Span {
  readonly hosts: readonly [Set<number>, Set<number>]
  readonly ports: readonly [Set<number>, Set<number>]
}

/** Tests `data[start, end)`, captured of `length` bytes at `time`, Unix microseconds. */
export type PacketTest = (
  data: Uint8Array,
  start: number,
  end: number,
  length: number,
  time: number,
  link: number,
) => boolean

/** Conversations of nodes, each with the time it is wanted in. */
export class Conversations {
  readonly #hashes = new Set<number>()
  readonly #spans = new Map<string, Span>()
  /** By addresses alone: a fragment has no ports, so those of all wanted conversations of both are taken. */
  readonly #fragments = new Map<string, Span>()
  readonly #wanted = new Map<string, WantedOfNode>()
  readonly #ends = new PacketEnds()
  readonly #who = new PacketKeys()

  /** Tells two of these apart. */
  digest(): string {
    const hash = createHash('sha256')
    for (const [key, { from, until }] of this.#spans) hash.update(`${key} ${from} ${until}\n`)
    return hash.digest('base64url')
  }

  /** Several times of one conversation become one, from the first to the last. */
  add(node: string, src: Peer, dst: Peer, from: number, until: number): void {
    this.#hashes.add(PacketEnds.hashOf(src.ip, src.port, dst.ip, dst.port))
    const wanted = this.#wanted.get(node) ?? wantedOfNode()
    this.#wanted.set(node, wanted)
    for (const [end, { ip, port }] of [src, dst].entries()) {
      wanted.hosts[end]!.add(addressKey(ip))
      wanted.ports[end]!.add(portKey(port))
    }
    wanted.from = Math.min(wanted.from, from)
    wanted.until = Math.max(wanted.until, until)
    extend(this.#spans, keyOf(node, src.ip, src.port, dst.ip, dst.port), from, until)
    extend(this.#fragments, pairOf(node, addressKey(src.ip), addressKey(dst.ip)), from, until)
  }

  /**
   * What the index of a node's capture is asked: keys (`PacketKeys`), of which a packet has one of each list, and the time. The
   * ends are lists of their own, so that one client of a busy server is found without reading the others.
   */
  wanted(node: string): Span & { readonly anyOf: readonly (readonly number[])[] } {
    const { hosts, ports, from, until } = this.#wanted.get(node) ?? wantedOfNode()
    const anyOf = [...hosts.map((keys) => [...keys]), ...ports.map((keys) => [...keys, ANY_PORT_KEY])]
    return { anyOf, from, until }
  }

  /** Which packets of a node belong to them. */
  of(node: string): PacketTest {
    const ends = this.#ends
    return (data, start, end, length, time, link) => {
      const span = ends.read(data, start, end, length, link)
        ? this.#spanOfEnds(node)
        : this.#spanOfFragment(node, data, start, end, length, link)
      return span !== undefined && time >= span.from && time <= span.until
    }
  }

  #spanOfEnds(node: string): Span | undefined {
    const { hash, source, sourcePort, destination, destinationPort } = this.#ends
    if (!this.#hashes.has(hash)) return undefined
    return this.#spans.get(keyOf(node, source, sourcePort, destination, destinationPort))
  }

  #spanOfFragment(
    node: string,
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    link: number,
  ): Span | undefined {
    const who = this.#who
    who.read(data, start, end, length, link)
    const { keys, count } = who
    if (count < 3 || keys[count - 1] !== ANY_PORT_KEY) return undefined
    return this.#fragments.get(pairOf(node, keys[count - 3]!, keys[count - 2]!))
  }
}

/** Without a conversation: no time at all. */
function wantedOfNode(): WantedOfNode {
  return {
    hosts: [new Set(), new Set()],
    ports: [new Set(), new Set()],
    ...{ from: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY },
  }
}

function extend(spans: Map<string, Span>, key: string, from: number, until: number): void {
  const known = spans.get(key)
  if (known === undefined) spans.set(key, { from, until })
  else {
    known.from = Math.min(known.from, from)
    known.until = Math.max(known.until, until)
  }
}

function pairOf(node: string, one: number, other: number): string {
  return `${node} ${Math.min(one, other)} ${Math.max(one, other)}`
}

function keyOf(node: string, ip: string, port: number, otherIp: string, otherPort: number): string {
  const [one, other] = [`${ip} ${port}`, `${otherIp} ${otherPort}`]
  return one < other ? `${node} ${one} ${other}` : `${node} ${other} ${one}`
}
