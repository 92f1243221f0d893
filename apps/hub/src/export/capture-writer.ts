/** Writes packets in a file format. Each call gives the bytes that come next. */
export interface CaptureWriter {
  readonly type: string
  readonly extension: string
  /** Node and link type tell where a packet came from; a format may refuse a second link type. */
  packet(
    node: string,
    link: number,
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
  ): Uint8Array[]
  /** What an empty file would hold. */
  header(): Uint8Array[]
}

/** A classic pcap file has one link type for all its packets. */
export class SecondLinkType extends Error {
  override readonly name = 'SecondLinkType'
}

const SNAP_LENGTH = 262_144

/** Classic pcap with microseconds, little endian (draft-ietf-opsawg-pcap). */
export class PcapWriter implements CaptureWriter {
  readonly type = 'application/vnd.tcpdump.pcap'
  readonly extension = 'pcap'
  #link: number | undefined

  header(): Uint8Array[] {
    return this.#link === undefined ? [this.#head(1)] : []
  }

  packet(
    _node: string,
    link: number,
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
  ): Uint8Array[] {
    const parts: Uint8Array[] = []
    if (this.#link === undefined) {
      this.#link = link
      parts.push(this.#head(link))
    } else if (link !== this.#link) throw new SecondLinkType('the packets have several link types')
    const head = new Uint8Array(16)
    const view = new DataView(head.buffer)
    view.setUint32(0, Math.floor(time / 1e6), true)
    view.setUint32(4, time % 1e6, true)
    view.setUint32(8, end - start, true)
    view.setUint32(12, length, true)
    parts.push(head, data.subarray(start, end))
    return parts
  }

  #head(link: number): Uint8Array {
    const head = new Uint8Array(24)
    const view = new DataView(head.buffer)
    view.setUint32(0, 0xa1b2c3d4, true)
    view.setUint16(4, 2, true)
    view.setUint16(6, 4, true)
    view.setUint32(16, SNAP_LENGTH, true)
    view.setUint32(20, link, true)
    return head
  }
}

/** Block types and options of pcapng (draft-ietf-opsawg-pcapng); all little endian. */
const SECTION = 0x0a0d0d0a
const INTERFACE = 1
const NAMES = 4
const PACKET = 6
const TWO_32 = 4_294_967_296

/** pcapng with an interface for each node and link type, and the names of addresses. */
export class PcapngWriter implements CaptureWriter {
  readonly type = 'application/x-pcapng'
  readonly extension = 'pcapng'
  readonly #names: Iterable<readonly [ip: string, name: string]>
  readonly #interfaces = new Map<string, number>()
  #begun = false

  constructor(names: Iterable<readonly [ip: string, name: string]>) {
    this.#names = names
  }

  header(): Uint8Array[] {
    if (this.#begun) return []
    this.#begun = true
    const section = new Uint8Array(16)
    const view = new DataView(section.buffer)
    view.setUint32(0, 0x1a2b3c4d, true)
    view.setUint16(4, 1, true)
    section.fill(0xff, 8)
    const records = [...this.#names].map(nameRecord).filter((record) => record !== undefined)
    const names = records.length > 0 ? [block(NAMES, [...records, new Uint8Array(4)])] : []
    return [block(SECTION, [section, option(4, text('tapdeck'))]), ...names]
  }

  packet(
    node: string,
    link: number,
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
  ): Uint8Array[] {
    const parts = this.header()
    const key = `${link} ${node}`
    let id = this.#interfaces.get(key)
    if (id === undefined) {
      id = this.#interfaces.size
      this.#interfaces.set(key, id)
      const description = new Uint8Array(8)
      const view = new DataView(description.buffer)
      view.setUint16(0, link, true)
      view.setUint32(4, SNAP_LENGTH, true)
      parts.push(block(INTERFACE, [description, option(2, text(node)), option(9, Uint8Array.of(6))]))
    }
    const size = end - start
    const head = new Uint8Array(28)
    const view = new DataView(head.buffer)
    const total = 32 + size + (-size & 3)
    view.setUint32(0, PACKET, true)
    view.setUint32(4, total, true)
    view.setUint32(8, id, true)
    view.setUint32(12, Math.floor(time / TWO_32), true)
    view.setUint32(16, time % TWO_32, true)
    view.setUint32(20, size, true)
    view.setUint32(24, length, true)
    const tail = new Uint8Array((-size & 3) + 4)
    new DataView(tail.buffer).setUint32(tail.length - 4, total, true)
    parts.push(head, data.subarray(start, end), tail)
    return parts
  }
}

function block(type: number, parts: readonly Uint8Array[]): Uint8Array {
  const length = 12 + parts.reduce((sum, part) => sum + part.length, 0)
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, type, true)
  view.setUint32(4, length, true)
  let at = 8
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  view.setUint32(at, length, true)
  return bytes
}

/** An option; also the shape of a record of the names block. */
function option(code: number, value: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(4 + value.length + (-value.length & 3))
  const view = new DataView(bytes.buffer)
  view.setUint16(0, code, true)
  view.setUint16(2, value.length, true)
  bytes.set(value, 4)
  return bytes
}

function nameRecord([ip, name]: readonly [string, string]): Uint8Array | undefined {
  const address = ip.includes(':') ? ipv6(ip) : Uint8Array.from(ip.split('.').map(Number))
  if (address.length !== 4 && address.length !== 16) return undefined
  const label = text(name)
  const value = new Uint8Array(address.length + label.length + 1)
  value.set(address)
  value.set(label, address.length)
  return option(address.length === 4 ? 1 : 2, value)
}

/** Canonical spelling only, as the inventory keeps it. */
function ipv6(ip: string): Uint8Array {
  const [head = '', tail] = ip.split('::')
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
  const left = words(head)
  const right = tail === undefined ? [] : words(tail)
  const all = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill(0), ...right]
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]))
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value).subarray(0, 1000)
}
