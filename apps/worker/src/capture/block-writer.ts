import type { MessagePort } from 'node:worker_threads'
import { Preamble, type Ring } from '@tapdeck/recording'
import type { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_BYTES, blockViews, PRIVATE_BLOCK } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import type { FrameSink } from './kernel-ring.ts'
import { linkType } from './link-type.ts'
import { PacketBlockWriter } from './packet-block.ts'

/** Interfaces come and go with pods; a section that described this many begins anew. */
const MAX_INTERFACES = 512

export interface BlockWriterOptions {
  /** Where blocks are stored; absent where recording is off. */
  readonly ring?: Ring
  /** Where the frames lie, and from `blocks` on the blocks. */
  readonly memory: ArrayBuffer
  readonly blocks: number
  readonly lease: BlockLease
  readonly node: string
  readonly application: string
  readonly snapLength: number
  nameOf(interfaceIndex: number): string | undefined
}

/**
 * Frames in, blocks of pcapng out: to the ring always, and to the live thread while indexing is on. A shared block is
 * handed on part by part until it is full, so that a live thread that is busy falls behind by bytes, not by moments.
 * Where it has no block free, packets are recorded all the same and counted as skipped.
 */
export class BlockWriter implements FrameSink {
  packets = 0
  /** Recorded, but not given to the live thread. */
  skipped = 0
  readonly #options: BlockWriterOptions
  readonly #preamble: Preamble
  readonly #packets: PacketBlockWriter
  readonly #views: readonly Uint8Array[]
  readonly #limit: number
  readonly #interfaces = new Map<number, number>()
  #live: MessagePort | undefined
  #indexing = false
  #block = PRIVATE_BLOCK
  /** Where the block begins, where what is not handed on yet begins, and where the next packet goes. */
  #start: number
  #from: number
  #at: number
  #count = 0
  #first = 0
  #last = 0
  #drops = 0
  #lastIndex = -1
  #lastHardware = -1
  #lastId = -1

  constructor(options: BlockWriterOptions) {
    this.#options = options
    this.#preamble = options.ring?.preamble ?? new Preamble(options.node, options.application)
    this.#limit = Math.min(BLOCK_BYTES, options.ring?.blockBytes ?? BLOCK_BYTES)
    this.#packets = new PacketBlockWriter(options.memory)
    this.#views = blockViews(options.memory, options.blocks)
    this.#start = options.blocks + PRIVATE_BLOCK * BLOCK_BYTES
    this.#from = this.#start
    this.#at = this.#start
  }

  get indexing(): boolean {
    return this.#indexing
  }

  /** Where blocks go from now on. */
  connect(live: MessagePort): void {
    this.flush(0)
    // Its lease is new: whatever block the thread before it had is free.
    this.#block = PRIVATE_BLOCK
    this.#live = live
    if (this.#indexing) this.#tell({ kind: 'begin', preamble: this.#preamble.bytes })
  }

  disconnect(): void {
    this.#live?.close()
    this.#live = undefined
  }

  /** Blocks that begin from now on go to the live thread, or go no longer. */
  setIndexing(enabled: boolean): void {
    if (enabled === this.#indexing) return
    this.flush(0)
    this.#retire()
    this.#indexing = enabled
    this.#tell(enabled ? { kind: 'begin', preamble: this.#preamble.bytes } : { kind: 'end' })
  }

  frame(start: number, end: number, length: number, time: number, index: number, hardware: number): void {
    const id =
      index === this.#lastIndex && hardware === this.#lastHardware
        ? this.#lastId
        : this.#find(index, hardware)
    const size = PacketBlockWriter.size(end - start)
    if (this.#at - this.#from + size > this.#limit || this.#at - this.#start + size > BLOCK_BYTES)
      this.flush(0)
    if (this.#count === 0) this.#begin(time, size)
    else if (time > this.#last) this.#last = time
    else if (time < this.#first) this.#first = time
    this.#at = this.#packets.write(this.#at, id, time, start, end, length)
    this.#count++
  }

  /** Stores and hands on what there is. `drops` are packets that the kernel lost since the last time. */
  flush(drops: number): void {
    this.#drops += drops
    if (this.#count === 0) return
    const { ring } = this.#options
    const info = { packets: this.#count, first: this.#first, last: this.#last, drops: this.#drops }
    this.packets += this.#count
    this.#drops = 0
    const from = this.#from - this.#start
    const to = this.#at - this.#start
    ring?.append(this.#views[this.#block].subarray(from, to), to - from, info)
    if (this.#block !== PRIVATE_BLOCK) this.#tell({ kind: 'block', block: this.#block, from, to })
    else if (this.#indexing) this.skipped += this.#count
    this.#count = 0
    this.#from = this.#at
  }

  #begin(time: number, size: number): void {
    this.#first = time
    this.#last = time
    if (this.#block !== PRIVATE_BLOCK && this.#at - this.#start + size <= BLOCK_BYTES) return
    this.#retire()
    const taken = this.#indexing && this.#live ? this.#options.lease.take() : -1
    this.#block = taken < 0 ? PRIVATE_BLOCK : taken
    this.#start = this.#options.blocks + this.#block * BLOCK_BYTES
    this.#from = this.#start
    this.#at = this.#start
  }

  /** Nothing more goes into the shared block; the live thread gives it back when it has come so far. */
  #retire(): void {
    if (this.#block !== PRIVATE_BLOCK) this.#tell({ kind: 'release', block: this.#block })
    this.#block = PRIVATE_BLOCK
  }

  /** The number of an interface in this section; one that is new is described first. */
  #find(index: number, hardware: number): number {
    const key = index * 65_536 + hardware
    let id = this.#interfaces.get(key)
    if (id === undefined) {
      id = this.#describe(index, hardware)
      this.#interfaces.set(key, id)
    }
    this.#lastIndex = index
    this.#lastHardware = hardware
    this.#lastId = id
    return id
  }

  #describe(index: number, hardware: number): number {
    const { ring, snapLength, nameOf } = this.#options
    this.flush(0)
    if (this.#preamble.count >= MAX_INTERFACES) {
      if (ring) ring.resetInterfaces()
      else this.#preamble.reset()
      this.#interfaces.clear()
      if (this.#indexing) this.#tell({ kind: 'preamble', bytes: this.#preamble.bytes })
    }
    const before = this.#preamble.bytes.length
    const description = { name: nameOf(index) ?? `if${index}`, link: linkType(hardware), snaplen: snapLength }
    const id = this.#preamble.count
    if (ring) ring.addInterface(description)
    else this.#preamble.add(description)
    if (this.#indexing) this.#tell({ kind: 'preamble', bytes: this.#preamble.bytes.subarray(before) })
    return id
  }

  #tell(message: BlockMessage): void {
    this.#live?.postMessage(message)
  }
}
