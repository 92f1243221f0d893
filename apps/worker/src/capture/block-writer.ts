import type { MessagePort } from 'node:worker_threads'
import { Preamble, type Ring } from '@tapdeck/recording'
import type { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_BYTES, PRIVATE_BLOCK } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import type { KernelBlockSink } from './kernel-ring.ts'
import { linkType } from './link-type.ts'
import { DONE, FULL, PacketCopy } from './packet-copy.ts'
import { TwinPackets } from './twin-packets.ts'

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
  readonly #copy: PacketCopy
  #live: MessagePort | undefined
  #indexing = false
  #block = PRIVATE_BLOCK
  #drops = 0

  constructor(options: BlockWriterOptions) {
    this.#options = options
    this.#preamble = options.ring?.preamble ?? new Preamble(options.node, options.application)
    this.#copy = new PacketCopy(options.memory)
    this.#copy.most = Math.min(BLOCK_BYTES, options.ring?.blockBytes ?? BLOCK_BYTES)
    if (options.everywhere) this.#copy.twins = new TwinPackets()
    this.#begin(PRIVATE_BLOCK)
  }

  get indexing(): boolean {
    return this.#indexing
  }

  /** Packets of link layers that are not followed. */
  get unknown(): number {
    return this.#copy.unknown
  }

  /** Packets left out because they were seen on another interface just before. */
  get duplicates(): number {
    return this.#copy.duplicates
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

  block(at: number, packets: number): void {
    const copy = this.#copy
    copy.begin(at, packets)
    if (copy.packets === 0) copy.position = this.#options.ring?.position ?? 0
    if (copy.packets === 0 && this.#block === PRIVATE_BLOCK) this.#take()
    for (let stop = copy.run(); stop !== DONE; stop = copy.run()) {
      this.flush(0)
      if (stop !== FULL) this.#describe(copy.interfaceIndex, copy.hardwareType)
      else if (this.#block === PRIVATE_BLOCK || copy.to + copy.size > copy.end) this.#take()
    }
    if (copy.left > 0) this.flush(0)
  }

  /** Stores and hands on what there is. `drops` are packets that the kernel lost since the last time. */
  flush(drops: number): void {
    const copy = this.#copy
    const { from, to, packets, first, last } = copy
    this.#drops += drops
    if (packets === 0) return
    this.packets += packets
    const info = { packets, first, last, drops: this.#drops }
    this.#drops = 0
    this.#options.ring?.append(copy.pieces(), to - from + copy.left, info)
    if (this.#block === PRIVATE_BLOCK) {
      copy.position = this.#options.ring?.position ?? 0
      if (this.#indexing) this.skipped += packets
      copy.restart(this.#start)
      return
    }
    const start = this.#start
    this.#tell({ kind: 'block', block: this.#block, from: from - start, to: to - start })
    copy.restart(to)
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
    this.#copy.restart(this.#start)
    this.#copy.end = this.#start + BLOCK_BYTES
    this.#copy.mayLeave = block === PRIVATE_BLOCK && this.#options.ring !== undefined
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
      this.#copy.forgetInterfaces()
      if (this.#indexing) this.#tell({ kind: 'preamble', bytes: this.#preamble.bytes })
    }
    const before = this.#preamble.bytes.length
    const description = { name: nameOf(index) ?? `if${index}`, link: linkType(hardware), snaplen: snapLength }
    this.#copy.number(index, hardware, this.#preamble.count)
    if (ring) ring.addInterface(description)
    else this.#preamble.add(description)
    if (this.#indexing) this.#tell({ kind: 'preamble', bytes: this.#preamble.bytes.subarray(before) })
  }

  #tell(message: BlockMessage): void {
    this.#live?.postMessage(message)
  }
}
