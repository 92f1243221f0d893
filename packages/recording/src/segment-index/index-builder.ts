import { PacketKeys } from '@tapdeck/wire'
import { walkBlocks } from '../block-walk.ts'
import { BLOCK } from '../segment-blocks.ts'
import { linkOf, readKeys } from './block-keys.ts'
import type { EndsWalk } from './ends-walk.ts'
import { REGION_BYTES, type Region, SegmentIndex } from './segment-index.ts'

/** Parties of one segment. Beyond this only times are known: a scan of all addresses must not fill the memory. */
const MAX_KEYS = 16_384
/** Postings are numbers of 16 bits. */
const MAX_REGIONS = 0xffff

const SMALLEST_PACKET = 32
const NEVER = 2 ** 62

/** It keeps nothing from one packet to the next; one for all builders stays compiled from segment to segment. */
const who = new PacketKeys()

interface MutableRegion {
  at: number
  end: number
  packets: number
  first: number
  last: number
  describes: boolean
}

/** Reads a segment from its beginning, piece by piece, and makes its index. */
export class IndexBuilder {
  /** Bytes of the segment that were read. */
  at = 0
  #damaged = false
  readonly #mostKeys: number
  readonly #regions: MutableRegion[] = []
  #keys: Map<number, number[]> | undefined = new Map()
  readonly #links: number[] = []
  readonly #walk: EndsWalk | undefined
  /** Of the present region, for the walk. */
  #number = 0

  constructor(mostKeys = MAX_KEYS, walk?: EndsWalk) {
    this.#mostKeys = mostKeys
    this.#walk = walk
  }

  get isDamaged(): boolean {
    return this.#damaged
  }

  /** Takes `bytes[0, length)` at offset `at` of the segment. Returns false if the rest cannot be read. */
  push(bytes: Uint8Array, length: number): boolean {
    const base = this.at
    const { at, damaged } = walkBlocks(bytes, 0, length, {
      packet: (from, to, time) => this.#packet(bytes, base, from, to, time),
      statistics: (_from, to) => this.#extend(base + to),
      other: (from, to, type) => {
        if (type === BLOCK.section) this.#links.length = 0
        else if (type === BLOCK.interface) this.#links.push(linkOf(bytes, from))
        this.#extend(base + to).describes = true
      },
    })
    this.at += at
    this.#damaged ||= damaged
    return at > 0 && !damaged
  }

  /** Takes whole packet blocks that were just written at offset `at`. Fast if they are in the memory of the walk. */
  pushPackets(blocks: Uint8Array): void {
    const walk = this.#walk
    if (walk === undefined || blocks.buffer !== walk.buffer) {
      this.push(blocks, blocks.length)
      return
    }
    walk.begin(this.#links)
    let at = 0
    while (at < blocks.length) at = this.#pushRegion(blocks, walk, at)
    this.at += at
  }

  /** The blocks from `from` on, up to where a region begins, or to the end. */
  #pushRegion(blocks: Uint8Array, walk: EndsWalk, from: number): number {
    const offset = blocks.byteOffset
    const region = this.#present()
    const full = Math.min(blocks.length, region.at + REGION_BYTES - this.at)
    let at = from
    while (at < full) {
      const { packets, first, last } = region
      walk.run(offset + at, offset + full, this.#number, packets, packets === 0 ? NEVER : first, last)
      region.packets = walk.packets
      region.first = walk.first
      region.last = walk.last
      at = walk.at - offset
      if (at >= full) break
      const size = packetBlockSize(blocks, at)
      if (size === 0) {
        this.#damaged = true
        at = blocks.length
        break
      }
      this.#noteAll(blocks, at, at + size)
      at += size
    }
    region.end = this.at + at
    return at
  }

  /** Damaged segments get no index: readers read them completely and report the damage. */
  finish(): SegmentIndex | undefined {
    if (this.#damaged || this.at === 0) return undefined
    const regions: readonly Region[] = this.#regions
    if (this.#keys === undefined) return new SegmentIndex(regions)
    const sorted = [...this.#keys].sort(([a], [b]) => a - b)
    const total = sorted.reduce((sum, [, places]) => sum + places.length, 0)
    const keys = new Int32Array(sorted.length)
    const starts = new Uint32Array(sorted.length + 1)
    const postings = new Uint16Array(total)
    let end = 0
    for (const [place, [key, places]] of sorted.entries()) {
      keys[place] = key
      postings.set(places, end)
      end += places.length
      starts[place + 1] = end
    }
    return new SegmentIndex(regions, { keys, starts, postings })
  }

  #packet(bytes: Uint8Array, base: number, from: number, to: number, time: number): void {
    this.#time(this.#extend(base + to), time)
    this.#noteAll(bytes, from, to)
  }

  #time(region: MutableRegion, time: number): void {
    if (region.packets === 0 || time < region.first) region.first = time
    if (region.packets === 0 || time > region.last) region.last = time
    region.packets++
  }

  /** Notes who takes part in the packet block at `from`, of which the bytes up to `to` are there. */
  #noteAll(bytes: Uint8Array, from: number, to: number): void {
    if (this.#keys === undefined) return
    const number = this.#regions.length - 1
    if (number > MAX_REGIONS) {
      this.#keys = undefined
      return
    }
    readKeys(who, bytes, from, to, this.#links)
    for (let i = 0; i < who.count; i++) this.#note(who.keys[i]!, number)
  }

  #note(key: number, region: number): void {
    const places = this.#keys?.get(key)
    if (places !== undefined) {
      if (places[places.length - 1] !== region) places.push(region)
    } else if (this.#keys !== undefined && this.#keys.size < this.#mostKeys) this.#keys.set(key, [region])
    else this.#keys = undefined
  }

  /** The region that a block ending at `end` belongs to: the present one, or another where that is full. */
  #extend(end: number): MutableRegion {
    const region = this.#present()
    region.end = end
    return region
  }

  #present(): MutableRegion {
    const present = this.#regions.at(-1)
    if (present !== undefined && present.end - present.at < REGION_BYTES) return present
    const at = present?.end ?? 0
    const region = { at, end: at, packets: 0, first: 0, last: 0, describes: false }
    this.#number = this.#walk?.beginRegion() ?? 0
    this.#regions.push(region)
    return region
  }
}

/** 0 where there is no packet block. */
function packetBlockSize(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 8)
  const size = view.getUint32(4, true)
  return view.getUint32(0, true) === BLOCK.packet && size >= SMALLEST_PACKET ? size : 0
}
