import { setTimeout as sleep } from 'node:timers/promises'
import { BpfFilter } from '@tapdeck/bpf'
import { EndsWalk } from '@tapdeck/recording'
import { BLOCK_MEMORY } from '../blocks/block-memory.ts'
import type { BlockWriter } from './block-writer.ts'
import type { CaptureMemory } from './capture-memory.ts'
import { interfacesUp } from './interfaces-up.ts'
import { type FilterOptions, kernelFilter, rejectAll } from './kernel-filter.ts'
import { KernelRing } from './kernel-ring.ts'
import { PacketCopy } from './packet-copy.ts'
import { PacketDeduplicator } from './packet-deduplicator.ts'
import { PacketSocket } from './packet-socket.ts'
import { PacketBatch } from './pods/packet-batch.ts'
import { PodCapture, type PodCaptureStatus } from './pods/pod-capture.ts'
import type { OwnPorts } from './reject-own.ts'
import { loadSystemCalls, type Poll, type SystemCalls } from './system-calls.ts'
import type { LeaveCache } from './write-behind.ts'

/** All interfaces, including later ones. */
const ANY = 'any'
/** Blocks read before the event loop continues. */
const BLOCKS_PER_TURN = 64
/** How often named interfaces are looked up: they may appear, disappear and get a new index. */
const LOOKUP_MS = 2000
/** How long the list of interfaces that are up is cached. */
const ALL_UP_MS = 10_000
/** After a write began, the kernel's ring is not read for this long: several blocks together cost less than each alone. */
const WRITE_PAUSE_MS = 12
/** Poll interval and limit while waiting for the kernel to hand over a block that is not full. */
const HANDED_MS = 5
const MAX_HANDED_MS = 2000

/** Memory of the packet loops in WebAssembly. */
const LOOPS_BYTES = PacketCopy.bytes + EndsWalk.bytes + PacketDeduplicator.bytes

export interface CaptureOptions extends OwnPorts {
  /** Names, or `any`. */
  readonly interfaces: readonly string[]
  readonly snapLength: number
  readonly bufferSize: number
  /** A BPF expression: only packets that match are captured. */
  readonly expression?: string
  /** Capture on the loopback interface of each pod, too. */
  readonly podLoopback?: boolean
  /** Capture on the other interfaces of each pod, too. */
  readonly podInterfaces?: boolean
}

/** Reads live packets from the kernel's ring and passes them to the block writer. When idle, it waits in poll. */
export class Capture {
  readonly memory: CaptureMemory
  readonly #options: CaptureOptions
  #expression: BpfFilter | undefined
  readonly #calls: SystemCalls
  readonly #socket: PacketSocket
  readonly #ring: KernelRing
  readonly #pods: PodCapture | undefined
  #drops = 0
  #writer: BlockWriter | undefined
  #poll: Poll | undefined
  /** Pending end of the pause in which the kernel's ring is not read or polled. */
  #pauseTimer: NodeJS.Timeout | undefined
  #isPausedForWrite = false
  #lookup: NodeJS.Timeout | undefined
  #found: readonly number[] = []
  #paused = false
  #up: string[] = []
  #upUntil = 0

  private constructor(options: CaptureOptions, calls: SystemCalls) {
    this.#options = options
    this.#expression = parsed(options.expression)
    this.#calls = calls
    const { podLoopback: loopback = false, podInterfaces: interfaces = false } = options
    const entersPods = loopback || interfaces
    const ownBytes = LOOPS_BYTES + (entersPods ? PacketBatch.bytes : 0)
    this.#socket = new PacketSocket(calls, options.bufferSize, BLOCK_MEMORY, ownBytes)
    const { memory, ringBytes, sharedAddress } = this.#socket
    const behind = ringBytes + BLOCK_MEMORY
    this.#ring = new KernelRing(memory.buffer, ringBytes)
    this.memory = {
      buffer: memory.buffer,
      blocks: ringBytes,
      address: sharedAddress,
      copy: new PacketCopy(memory, behind),
      walk: new EndsWalk(memory, behind + PacketCopy.bytes),
      ...(this.#any() && {
        deduplicator: new PacketDeduplicator(memory, behind + PacketCopy.bytes + EndsWalk.bytes),
      }),
    }
    if (entersPods) {
      const within = { loopback, interfaces }
      this.#pods = new PodCapture(within, calls, memory.buffer, behind + LOOPS_BYTES, this.#podFilter())
    }
  }

  /** Opens the socket without receiving yet. Rejects if that is not permitted or not possible. */
  static async open(options: CaptureOptions): Promise<Capture> {
    return new Capture(options, await loadSystemCalls())
  }

  get leaveCache(): LeaveCache {
    return this.#calls.leaveCache
  }

  start(writer: BlockWriter): void {
    this.#writer = writer
    writer.whenStored = (blocks) => this.#stored(blocks)
    this.#found = this.#find()
    this.#socket.listen(this.#filter())
    this.#poll = this.#calls.whenReadable(this.#socket.fd, () => this.#drain(BLOCKS_PER_TURN))
    if (!this.#any()) this.#lookup = setInterval(() => this.#refresh(), LOOKUP_MS)
    this.#pods?.start(writer)
  }

  /** Packets that the kernel dropped because a buffer was full. */
  get drops(): number {
    return this.#drops + (this.#pods?.drops ?? 0)
  }

  /** Undefined if no interfaces of pods are to be captured. */
  get podLoopback(): PodCaptureStatus | undefined {
    return this.#pods?.status
  }

  /** Names of the interfaces that are captured now. */
  get interfaces(): string[] {
    if (this.#any()) return this.#allUp()
    return this.#options.interfaces.filter((name) => this.#socket.interfaceIndex(name) !== undefined)
  }

  /** Configured names without an interface. */
  get missing(): string[] {
    if (this.#any()) return []
    return this.#options.interfaces.filter((name) => this.#socket.interfaceIndex(name) === undefined)
  }

  nameOf(index: number): string | undefined {
    return this.#pods?.nameOf(index) ?? this.#socket.interfaceName(index)
  }

  /** While paused, the kernel copies no packet: neither recording nor indexing needs them. */
  setPaused(paused: boolean): void {
    if (paused === this.#paused) return
    this.#paused = paused
    this.#setFilters()
  }

  /** Captures only matching packets from now on. Throws, and changes nothing, if the expression is invalid. */
  setExpression(text: string): void {
    const before = this.#expression
    this.#expression = parsed(text)
    try {
      if (this.#writer) this.#setFilters()
    } catch (error) {
      this.#expression = before
      throw error
    }
  }

  /** Reads the kernel's counters. */
  count(): void {
    const { drops } = this.#socket.counts()
    this.#drops += drops
    this.#writer?.flush(drops + (this.#pods?.count() ?? 0))
  }

  /** The writer has all blocks that the kernel has handed over. */
  get isTaken(): boolean {
    return this.#ring.isTaken
  }

  /** Resolves when the writer has all packets captured so far. The kernel hands over a partly filled block after a timeout. */
  async caughtUp(): Promise<void> {
    this.#pods?.drain()
    const ring = this.#ring
    const all = ring.begun
    const until = performance.now() + MAX_HANDED_MS
    while (ring.taken < all && performance.now() < until) {
      // During a pause a write is running, which drains the ring when it ends.
      if (!this.#isPausedForWrite) this.#drain(BLOCKS_PER_TURN)
      if (ring.taken < all) await sleep(HANDED_MS)
    }
  }

  /** Stops without losing packets that were captured before. */
  async stop(): Promise<void> {
    clearInterval(this.#lookup)
    this.#socket.filter(rejectAll())
    this.#pods?.close()
    await this.caughtUp()
    this.#poll?.stop()
    this.#poll?.close()
    this.#poll = undefined
    clearTimeout(this.#pauseTimer)
    if (this.#writer) this.#writer.hurry = true
    await this.#writer?.settled()
    this.#drain(Number.POSITIVE_INFINITY)
    this.#socket.close()
  }

  /** Cached: a node has hundreds of interfaces, and this is read every second. */
  #allUp(): string[] {
    const now = performance.now()
    if (now >= this.#upUntil) {
      this.#up = interfacesUp()
      this.#upUntil = now + ALL_UP_MS
    }
    return this.#up
  }

  #any(): boolean {
    return this.#options.interfaces.includes(ANY)
  }

  #drain(blocks: number): void {
    const writer = this.#writer
    if (!writer) return
    const ring = this.#ring
    if (writer.isLate) writer.leave()
    // At the end, and if the disk is slow or the kernel's ring is nearly full, write without delay.
    writer.hurry = this.#poll === undefined || ring.isBehind || writer.isLate
    let blocksRead = 0
    for (; blocksRead < blocks && ring.next(writer); blocksRead++)
      if (this.#mustStore()) {
        if (!writer.hurry) break
        writer.flush(0)
      }
    // Reading the counters costs as much as some hundred packets, so do it only if the kernel reports loss.
    if (ring.takeLosing()) this.count()
    else writer.flush(0)
    // Poll reports the newest block until it is released, even if there is no other.
    const idle = blocksRead === 0 || !writer.hurry
    if (this.#poll && writer.isWriting && idle && (ring.kept > 0 || writer.hasMore)) this.#pauseForWrite()
  }

  #mustStore(): boolean {
    return this.#ring.kept >= this.#ring.maxKept || this.#writer?.isFull === true
  }

  /** Pauses reading until the write has ended and some time has passed, or the ring fills up. */
  #pauseForWrite(): void {
    if (!this.#isPausedForWrite) this.#poll?.stop()
    this.#isPausedForWrite = true
    this.#pauseTimer = setTimeout(() => {
      const isLate = this.#ring.isBehind || this.#writer?.isLate
      if (this.#writer?.isWriting && !isLate) return this.#pauseForWrite()
      this.#writer?.leave()
      this.#resume()
    }, WRITE_PAUSE_MS)
  }

  /** The packets of these blocks are stored: releases the blocks. */
  #stored(blocks: readonly number[]): void {
    for (const at of blocks) this.#ring.release(at)
    if (this.#pauseTimer && this.#ring.isBehind) this.#resume()
  }

  /** Reads ready blocks first, then polls again. */
  #resume(): void {
    clearTimeout(this.#pauseTimer)
    this.#pauseTimer = undefined
    if (!this.#poll) return
    this.#drain(BLOCKS_PER_TURN)
    if (this.#pauseTimer) return
    this.#isPausedForWrite = false
    this.#poll.start()
  }

  #find(): number[] {
    if (this.#any()) return []
    return this.#options.interfaces
      .map((name) => this.#socket.interfaceIndex(name))
      .filter((index) => index !== undefined)
  }

  #refresh(): void {
    const found = this.#find()
    if (found.join() === this.#found.join()) return
    this.#found = found
    this.#socket.filter(this.#filter())
  }

  #setFilters(): void {
    this.#socket.filter(this.#filter())
    this.#pods?.setFilter(this.#podFilter())
  }

  #filter(): Uint8Array {
    if (this.#paused || (!this.#any() && this.#found.length === 0)) return rejectAll()
    return kernelFilter({ ...this.#conditions(), ...(this.#any() ? {} : { interfaces: this.#found }) })
  }

  #podFilter(): Uint8Array {
    return this.#paused ? rejectAll() : kernelFilter(this.#conditions())
  }

  #conditions(): FilterOptions {
    const { snapLength, exceptPorts, exceptClients } = this.#options
    return {
      snapLength,
      ...(exceptPorts && { exceptPorts }),
      ...(exceptClients && { exceptClients }),
      ...(this.#expression && { expression: this.#expression }),
    }
  }
}

function parsed(expression: string | undefined): BpfFilter | undefined {
  return expression ? BpfFilter.parse(expression) : undefined
}
