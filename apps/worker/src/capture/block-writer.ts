import type { MessagePort } from 'node:worker_threads'
import { type Pages, Preamble, type Ring, STATISTICS_BYTES } from '@tapdeck/recording'
import type { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_BYTES, PRIVATE_BLOCKS, SHARED_BLOCKS } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import type { CaptureMemory } from './capture-memory.ts'
import type { KernelBlockSink } from './kernel-ring.ts'
import { linkType } from './link-type.ts'
import { DONE, FULL, PacketBlocks, UNKNOWN_INTERFACE } from './packet-blocks.ts'
import { BLOCK_SIZE } from './packet-socket.ts'

/** Interfaces come and go with pods; after this many, a new section begins. */
const MAX_INTERFACES = 512
/** From this average packet size on, packets are written from the kernel's buffer: 60 bytes more each on disk, but no copy. */
const MIN_IN_PLACE_BYTES = 600
/** From this size on, an asynchronous direct write costs less than one through the page cache. */
const MIN_PAGES_BYTES = 512 * 1024

export interface BlockWriterOptions {
  /** The recording; absent if recording is off. */
  readonly ring?: Ring
  /** The memory of the frames and, from `blocks` on, of the blocks. */
  readonly memory: Pick<CaptureMemory, 'buffer' | 'blocks'> & Partial<CaptureMemory>
  readonly lease: BlockLease
  readonly node: string
  readonly application: string
  readonly snapLength: number
  nameOf(interfaceIndex: number): string | undefined
}

/**
 * Writes packets as blocks of pcapng: always to the ring, and to the live thread while indexing is on. A shared block is
 * sent in parts until it is full, so that a busy live thread is limited by bytes, not by the number of flushes. If no
 * shared block is free, packets are recorded and counted as skipped.
 */
export class BlockWriter implements KernelBlockSink {
  packets = 0
  /** Packets that were recorded but not sent to the live thread. */
  skipped = 0
  readonly #options: BlockWriterOptions
  readonly #preamble: Preamble
  readonly #packets: PacketBlocks
  /** Called when kept kernel blocks are stored, with the offsets of their first packets. */
  whenStored = (_blocks: readonly number[]): void => {}
  /** Store synchronously: the disk or this thread is late. */
  hurry = false
  /** Free private blocks. */
  readonly #free = Array.from({ length: PRIVATE_BLOCKS }, (_, at) => SHARED_BLOCKS + PRIVATE_BLOCKS - 1 - at)
  /** Pages to store next, their bytes, and the private blocks among them. */
  #pages: Pages[] = []
  #pagesBytes = 0
  #lent: number[] = []
  /** Kernel blocks among them. */
  #kept: number[] = []
  #live: MessagePort | undefined
  #indexing = false
  #block: number
  #drops = 0

  constructor(options: BlockWriterOptions) {
    this.#options = options
    this.#preamble = options.ring?.preamble ?? new Preamble(options.node, options.application)
    const { buffer, copy, deduplicator } = options.memory
    this.#packets = new PacketBlocks(buffer, copy, deduplicator)
    this.#packets.maxFlush = Math.min(BLOCK_BYTES, options.ring?.blockBytes ?? BLOCK_BYTES)
    this.#block = this.#free.pop()!
    this.#begin(this.#block)
  }

  get indexing(): boolean {
    return this.#indexing
  }

  /** Packets of unsupported link layers. */
  get unknown(): number {
    return this.#packets.unknown
  }

  /** Packets skipped as duplicates of another interface. */
  get duplicates(): number {
    return this.#packets.duplicates
  }

  /** The pending pages must be stored before another block is taken. */
  get isFull(): boolean {
    const { ring } = this.#options
    if (!ring || this.#pages.length === 0) return false
    return this.#free.length < 2 || this.#pagesBytes + BLOCK_SIZE > ring.pagesBytes
  }

  /** Blocks go to this live thread from now on. */
  connect(live: MessagePort): void {
    this.#storeNow()
    // All blocks of the previous thread are free.
    if (this.#isShared()) this.#begin(this.#free.pop()!)
    this.#live = live
    if (this.#indexing) this.#post({ kind: 'begin', preamble: this.#preamble.bytes })
  }

  disconnect(): void {
    this.#live?.close()
    this.#live = undefined
  }

  /** Starts or stops sending new blocks to the live thread. */
  setIndexing(enabled: boolean): void {
    if (enabled === this.#indexing) return
    this.#storeNow()
    this.#retire()
    this.#indexing = enabled
    this.#post(enabled ? { kind: 'begin', preamble: this.#preamble.bytes } : { kind: 'end' })
  }

  block(at: number, packets: number, bytes: number): boolean {
    const made = this.#packets
    made.begin(at, packets)
    if (made.packets === 0 && !this.#isShared()) this.#take()
    if (this.#byPages() && bytes >= MIN_PAGES_BYTES && bytes >= packets * MIN_IN_PLACE_BYTES) {
      this.#gather()
      made.inPlace = true
    }
    for (let stop = made.run(); stop !== DONE; stop = made.run()) {
      if (stop === FULL) {
        if (this.#byPages()) this.#gather()
        else {
          // Not `flush`: it waits for a write that began before indexing did, and the packets would be lost.
          this.#storeNow()
          if (!this.#isShared() || made.to + made.size > made.end) this.#take()
        }
        continue
      }
      // The rest is copied, because it is not aligned to a page.
      this.#storeNow()
      if (made.inPlace) this.#begin(this.#block)
      made.inPlace = false
      if (stop === UNKNOWN_INTERFACE) this.#describe(made.interfaceIndex, made.hardwareType)
    }
    if (!made.inPlace) return false
    const stays = made.packets > 0
    this.#gather()
    made.inPlace = false
    if (stays) this.#kept.push(at)
    return stays
  }

  /**
   * Stores and sends the pending packets, after running background writes. `drops`: packets that the kernel lost since the
   * last call.
   */
  flush(drops: number): void {
    this.#drops += drops
    if (this.isWriting && !this.hurry) return
    if (this.#isLarge()) this.#gather()
    if (this.#pages.length > 0) this.#storePages(!this.hurry)
    else this.#append()
  }

  /** A background write is running. */
  get isWriting(): boolean {
    return this.#options.ring?.isWriting ?? false
  }

  /** The background write takes too long. */
  get isLate(): boolean {
    return this.#options.ring?.isLate ?? false
  }

  /** More pages wait for the background write. */
  get hasMore(): boolean {
    return this.#packets.packets > 0 || this.#pages.length > 0
  }

  /** The disk is slow: the ring stores new packets in another segment meanwhile. */
  leave(): void {
    this.#options.ring?.leave()
  }

  /** Resolves when no background write is running. */
  async settled(): Promise<void> {
    await this.#options.ring?.settled()
  }

  /** Stores everything pending, in order, synchronously. */
  #storeNow(): void {
    if (this.#pages.length > 0) this.#storePages(false)
    this.#append()
  }

  /** Appends the current packets as blocks of any length. */
  #append(): void {
    const made = this.#packets
    const { from, to, packets, first, last } = made
    if (packets === 0) return
    this.packets += packets
    const bytes = made.made
    this.#options.ring?.append(bytes, bytes.length, { packets, first, last, drops: this.#takeDrops() })
    if (!this.#isShared()) {
      if (this.#indexing) this.skipped += packets
      this.#begin(this.#block)
      return
    }
    const start = this.#start()
    this.#post({ kind: 'block', block: this.#block, from: from - start, to: to - start })
    made.restart(to, 0)
  }

  /** Collects the current packets as whole pages, which are stored together. */
  #gather(): void {
    const made = this.#packets
    const { packets, first, last } = made
    if (packets === 0) return
    this.packets += packets
    const front = made.from - made.page
    const bytes = made.pages()
    this.#pages.push({ bytes, front, packets, first, last })
    this.#pagesBytes += bytes.length
    if (!made.inPlace) {
      this.#lent.push(this.#block)
      if (this.#free.length === 0) this.#storePages(false)
      this.#block = this.#free.pop()!
    }
    this.#begin(this.#block)
  }

  #storePages(direct: boolean): void {
    const pages = this.#pages
    const lent = this.#lent
    const kept = this.#kept
    this.#pages = []
    this.#pagesBytes = 0
    this.#lent = []
    this.#kept = []
    const stored = () => {
      for (const block of lent) this.#free.push(block)
      if (kept.length > 0) this.whenStored(kept)
    }
    const written = () => {
      stored()
      this.flush(0)
    }
    if (!this.#options.ring?.appendPages(pages, this.#takeDrops(), direct, written)) stored()
  }

  #takeDrops(): number {
    const drops = this.#drops
    this.#drops = 0
    return drops
  }

  #isShared(): boolean {
    return this.#block < SHARED_BLOCKS
  }

  /** Only the ring needs the packets of a private block, so they can be stored in large writes. */
  #byPages(): boolean {
    return !this.#isShared() && !this.#indexing && (this.#options.ring?.pagesBytes ?? 0) >= BLOCK_SIZE
  }

  /** After other pages, any size is stored as pages, to keep the order. */
  #isLarge(): boolean {
    return (
      this.#byPages() && (this.#pages.length > 0 || this.#packets.to - this.#packets.from >= MIN_PAGES_BYTES)
    )
  }

  /** Offset of the current block. */
  #start(): number {
    return this.#options.memory.blocks + this.#block * BLOCK_BYTES
  }

  /** Takes the next block: a shared one if the live thread needs it and one is free. */
  #take(): void {
    this.#retire()
    const taken = this.#indexing && this.#live ? this.#options.lease.take() : -1
    if (taken < 0) return
    this.#free.push(this.#block)
    this.#begin(taken)
  }

  #begin(block: number): void {
    this.#block = block
    this.#packets.restart(this.#start(), this.#isShared() ? 0 : STATISTICS_BYTES)
    this.#packets.end = this.#start() + BLOCK_BYTES
  }

  /** Ends the shared block; the live thread releases it after reading. */
  #retire(): void {
    if (!this.#isShared()) return
    this.#post({ kind: 'release', block: this.#block })
    this.#begin(this.#free.pop()!)
  }

  /** Describes a new interface before its first packet. */
  #describe(index: number, hardware: number): void {
    const { ring, snapLength, nameOf } = this.#options
    if (this.#preamble.count >= MAX_INTERFACES) {
      if (ring) ring.resetInterfaces()
      else this.#preamble.reset()
      this.#packets.forgetInterfaces()
      if (this.#indexing) this.#post({ kind: 'preamble', bytes: this.#preamble.bytes })
    }
    const before = this.#preamble.bytes.length
    const description = { name: nameOf(index) ?? `if${index}`, link: linkType(hardware), snaplen: snapLength }
    this.#packets.setInterfaceId(index, hardware, this.#preamble.count)
    if (ring) ring.addInterface(description)
    else this.#preamble.add(description)
    if (this.#indexing) this.#post({ kind: 'preamble', bytes: this.#preamble.bytes.subarray(before) })
  }

  #post(message: BlockMessage): void {
    this.#live?.postMessage(message)
  }
}
