import type { MessagePort } from 'node:worker_threads'
import { type Pages, Preamble, type Ring, STATISTICS_BYTES } from '@tapdeck/recording'
import type { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_BYTES, PRIVATE_BLOCKS, SHARED_BLOCKS } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import type { CaptureMemory } from './capture.ts'
import type { KernelBlockSink } from './kernel-ring.ts'
import { linkType } from './link-type.ts'
import { DONE, FULL, PacketBlocks, UNKNOWN_INTERFACE } from './packet-blocks.ts'
import { BLOCK_SIZE } from './packet-socket.ts'

/** Interfaces come and go with pods; a section that described this many begins anew. */
const MAX_INTERFACES = 512
/**
 * From this many bytes a packet on, the kernel's header included, packets are written from where the kernel put them. It costs
 * some 60 bytes each on disk, and saves the copy.
 */
const STAY_BYTES = 600
/** From so many bytes on a write in the background costs less than the page cache, with all that it takes to wait for it. */
const LEAST_PAGES = 512 * 1024

export interface BlockWriterOptions {
  /** Where blocks are stored; absent where recording is off. */
  readonly ring?: Ring
  /** Where the frames lie, and from `blocks` on the blocks. */
  readonly memory: Pick<CaptureMemory, 'buffer' | 'blocks'> & Partial<CaptureMemory>
  readonly lease: BlockLease
  readonly node: string
  readonly application: string
  readonly snapLength: number
  nameOf(interfaceIndex: number): string | undefined
}

/**
 * Packets in, blocks of pcapng out: to the ring always, and to the live thread while indexing is on. A shared block is
 * handed on part by part until it is full, so that a live thread that is busy falls behind by bytes, not by moments.
 * Where it has no block free, packets are recorded all the same and counted as skipped.
 */
export class BlockWriter implements KernelBlockSink {
  packets = 0
  /** Recorded, but not given to the live thread. */
  skipped = 0
  readonly #options: BlockWriterOptions
  readonly #preamble: Preamble
  readonly #made: PacketBlocks
  /** Told when blocks of the kernel that it kept are stored: where their first packets lie. */
  whenStored = (_blocks: readonly number[]): void => {}
  /** What comes is to be stored at once, and not in the background: the disk, or we, are late. */
  hurry = false
  /** Private blocks that are free. */
  readonly #free = Array.from({ length: PRIVATE_BLOCKS }, (_, at) => SHARED_BLOCKS + PRIVATE_BLOCKS - 1 - at)
  /** Pages that are to be stored next, and how many bytes they are; private blocks among them. */
  #pages: Pages[] = []
  #pagesBytes = 0
  #lent: number[] = []
  /** Blocks of the kernel among them. */
  #kept: number[] = []
  #live: MessagePort | undefined
  #indexing = false
  #block: number
  #drops = 0

  constructor(options: BlockWriterOptions) {
    this.#options = options
    this.#preamble = options.ring?.preamble ?? new Preamble(options.node, options.application)
    const { buffer, plain, twins } = options.memory
    this.#made = new PacketBlocks(buffer, plain, twins)
    this.#made.most = Math.min(BLOCK_BYTES, options.ring?.blockBytes ?? BLOCK_BYTES)
    this.#block = this.#free.pop()!
    this.#begin(this.#block)
  }

  get indexing(): boolean {
    return this.#indexing
  }

  /** Packets of link layers that are not followed. */
  get unknown(): number {
    return this.#made.unknown
  }

  /** Packets left out because they were seen on another interface just before. */
  get duplicates(): number {
    return this.#made.duplicates
  }

  /** So much is to be stored that it should be, before another block comes. */
  get isFull(): boolean {
    const { ring } = this.#options
    if (!ring || this.#pages.length === 0) return false
    return this.#free.length < 2 || this.#pagesBytes + BLOCK_SIZE > ring.pagesBytes
  }

  /** Where blocks go from now on. */
  connect(live: MessagePort): void {
    this.#storeNow()
    // Its lease is new: whatever block the thread before it had is free.
    if (this.#isShared()) this.#begin(this.#free.pop()!)
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
    this.#storeNow()
    this.#retire()
    this.#indexing = enabled
    this.#tell(enabled ? { kind: 'begin', preamble: this.#preamble.bytes } : { kind: 'end' })
  }

  block(at: number, packets: number, bytes: number): boolean {
    const made = this.#made
    made.begin(at, packets)
    if (made.packets === 0 && !this.#isShared()) this.#take()
    if (this.#byPages() && bytes >= LEAST_PAGES && bytes >= packets * STAY_BYTES) {
      this.#gather()
      made.inPlace = true
    }
    for (let stop = made.run(); stop !== DONE; stop = made.run()) {
      if (stop === FULL) {
        if (this.#byPages()) this.#gather()
        else {
          this.flush(0)
          if (!this.#isShared() || made.to + made.size > made.end) this.#take()
        }
        continue
      }
      // The rest is copied: it does not begin where a page does.
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
   * Stores and hands on what there is, behind what is being stored in the background. `drops` are packets that the kernel lost
   * since the last time.
   */
  flush(drops: number): void {
    this.#drops += drops
    if (this.isWriting && !this.hurry) return
    if (this.#isLarge()) this.#gather()
    if (this.#pages.length > 0) this.#storePages(!this.hurry)
    else this.#append()
  }

  /** Something is being stored in the background. */
  get isWriting(): boolean {
    return this.#options.ring?.isWriting ?? false
  }

  /** It takes too long. */
  get isLate(): boolean {
    return this.#options.ring?.isLate ?? false
  }

  /** There is more, which waits for it. */
  get hasMore(): boolean {
    return this.#made.packets > 0 || this.#pages.length > 0
  }

  /** The disk is late: what comes is stored elsewhere meanwhile. */
  leave(): void {
    this.#options.ring?.leave()
  }

  /** Resolves when nothing is being stored in the background. */
  async settled(): Promise<void> {
    await this.#options.ring?.settled()
  }

  /** Stores what there is, in its order, before it returns. */
  #storeNow(): void {
    if (this.#pages.length > 0) this.#storePages(false)
    this.#append()
  }

  /** What was copied, or stays, as blocks of any length. */
  #append(): void {
    const made = this.#made
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
    this.#tell({ kind: 'block', block: this.#block, from: from - start, to: to - start })
    made.restart(to, 0)
  }

  /** What was copied, or stays, as pages; they are stored together. */
  #gather(): void {
    const made = this.#made
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

  /** Nobody but the ring wants packets of a private block, and it takes as much at once as the kernel gives. */
  #byPages(): boolean {
    return !this.#isShared() && !this.#indexing && (this.#options.ring?.pagesBytes ?? 0) >= BLOCK_SIZE
  }

  /** Behind other pages anything goes, and in its order. */
  #isLarge(): boolean {
    return this.#byPages() && (this.#pages.length > 0 || this.#made.to - this.#made.from >= LEAST_PAGES)
  }

  /** Where the block begins. */
  #start(): number {
    return this.#options.memory.blocks + this.#block * BLOCK_BYTES
  }

  /** Another block: one of the live thread's, where it is wanted and one is free. */
  #take(): void {
    this.#retire()
    const taken = this.#indexing && this.#live ? this.#options.lease.take() : -1
    if (taken < 0) return
    this.#free.push(this.#block)
    this.#begin(taken)
  }

  #begin(block: number): void {
    this.#block = block
    this.#made.restart(this.#start(), this.#isShared() ? 0 : STATISTICS_BYTES)
    this.#made.end = this.#start() + BLOCK_BYTES
  }

  /** Nothing more goes into the shared block; the live thread gives it back when it has come so far. */
  #retire(): void {
    if (!this.#isShared()) return
    this.#tell({ kind: 'release', block: this.#block })
    this.#begin(this.#free.pop()!)
  }

  /** An interface that is new is described before its first packet. */
  #describe(index: number, hardware: number): void {
    const { ring, snapLength, nameOf } = this.#options
    if (this.#preamble.count >= MAX_INTERFACES) {
      if (ring) ring.resetInterfaces()
      else this.#preamble.reset()
      this.#made.forgetInterfaces()
      if (this.#indexing) this.#tell({ kind: 'preamble', bytes: this.#preamble.bytes })
    }
    const before = this.#preamble.bytes.length
    const description = { name: nameOf(index) ?? `if${index}`, link: linkType(hardware), snaplen: snapLength }
    this.#made.number(index, hardware, this.#preamble.count)
    if (ring) ring.addInterface(description)
    else this.#preamble.add(description)
    if (this.#indexing) this.#tell({ kind: 'preamble', bytes: this.#preamble.bytes.subarray(before) })
  }

  #tell(message: BlockMessage): void {
    this.#live?.postMessage(message)
  }
}
