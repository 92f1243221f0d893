import type { MessagePort } from 'node:worker_threads'
import { Preamble, type Ring } from '@tapdeck/recording'
import type { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_BYTES, PRIVATE_BLOCK } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import type { KernelBlockSink } from './kernel-ring.ts'
import { linkType } from './link-type.ts'
import { DONE, FULL, MUST_MOVE, PacketBlocks } from './packet-blocks.ts'
import { BLOCK_SIZE } from './packet-socket.ts'
import { TwinPackets } from './twin-packets.ts'

/** Interfaces come and go with pods; a section that described this many begins anew. */
const MAX_INTERFACES = 512
/**
 * From this many bytes a packet on, the kernel's header included, packets are written from where the kernel put them. It costs
 * some 60 bytes each on disk, and saves the copy.
 */
const STAY_BYTES = 600

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
  /** Packets of all interfaces come here, so one that is forwarded comes more than once. */
  readonly everywhere?: boolean
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
  #live: MessagePort | undefined
  #indexing = false
  #block = PRIVATE_BLOCK
  #drops = 0

  constructor(options: BlockWriterOptions) {
    this.#options = options
    this.#preamble = options.ring?.preamble ?? new Preamble(options.node, options.application)
    this.#made = new PacketBlocks(options.memory)
    this.#made.most = Math.min(BLOCK_BYTES, options.ring?.blockBytes ?? BLOCK_BYTES)
    if (options.everywhere) this.#made.twins = new TwinPackets()
    this.#begin(PRIVATE_BLOCK)
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

  /** Where blocks go from now on. */
  connect(live: MessagePort): void {
    this.flush(0)
    // Its lease is new: whatever block the thread before it had is free.
    this.#begin(PRIVATE_BLOCK)
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

  block(at: number, packets: number, bytes: number): void {
    const made = this.#made
    made.begin(at, packets)
    if (made.packets === 0 && this.#block === PRIVATE_BLOCK) this.#take()
    if (this.#block === PRIVATE_BLOCK && this.#mayStay && bytes >= packets * STAY_BYTES) {
      this.flush(0)
      made.inPlace = true
    }
    for (let stop = made.run(); stop !== DONE; stop = made.run()) {
      this.flush(0)
      if (stop === MUST_MOVE) made.inPlace = false
      else if (stop !== FULL) this.#describe(made.interfaceIndex, made.hardwareType)
      else if (this.#block === PRIVATE_BLOCK || made.to + made.size > made.end) this.#take()
    }
    if (!made.inPlace) return
    this.flush(0)
    made.inPlace = false
  }

  /** Stores and hands on what there is. `drops` are packets that the kernel lost since the last time. */
  flush(drops: number): void {
    const made = this.#made
    const { from, to, packets, first, last } = made
    this.#drops += drops
    if (packets === 0) return
    this.packets += packets
    const info = { packets, first, last, drops: this.#drops }
    this.#drops = 0
    this.#options.ring?.append(made.pieces(), made.length, info)
    if (this.#block === PRIVATE_BLOCK) {
      if (this.#indexing) this.skipped += packets
      made.restart(this.#start)
      return
    }
    const start = this.#start
    this.#tell({ kind: 'block', block: this.#block, from: from - start, to: to - start })
    made.restart(to)
  }

  /** Nobody but the ring wants packets of the private block, and it takes as much at once as the kernel gives. */
  get #mayStay(): boolean {
    return (this.#options.ring?.blockBytes ?? 0) >= BLOCK_SIZE
  }

  /** Where the block begins. */
  get #start(): number {
    return this.#options.blocks + this.#block * BLOCK_BYTES
  }

  /** Another block: one of the live thread's, where it is wanted and one is free. */
  #take(): void {
    this.#retire()
    const taken = this.#indexing && this.#live ? this.#options.lease.take() : -1
    if (taken >= 0) this.#begin(taken)
  }

  #begin(block: number): void {
    this.#block = block
    this.#made.restart(this.#start)
    this.#made.end = this.#start + BLOCK_BYTES
  }

  /** Nothing more goes into the shared block; the live thread gives it back when it has come so far. */
  #retire(): void {
    if (this.#block === PRIVATE_BLOCK) return
    this.#tell({ kind: 'release', block: this.#block })
    this.#begin(PRIVATE_BLOCK)
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
