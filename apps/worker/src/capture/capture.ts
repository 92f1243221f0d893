import { setTimeout as sleep } from 'node:timers/promises'
import { BpfFilter } from '@tapdeck/bpf'
import { EndsWalk } from '@tapdeck/recording'
import { BLOCK_MEMORY } from '../blocks/block-memory.ts'
import type { BlockWriter } from './block-writer.ts'
import { interfacesUp } from './interfaces-up.ts'
import { kernelFilter, rejectAll } from './kernel-filter.ts'
import { KernelRing } from './kernel-ring.ts'
import { PacketSocket } from './packet-socket.ts'
import { PlainPackets } from './plain-packets.ts'
import { loadSystemCalls, type Poll, type SystemCalls } from './system-calls.ts'
import { TwinPackets } from './twin-packets.ts'
import type { LeaveCache } from './write-behind.ts'

/** All interfaces, also those that come later. */
const ANY = 'any'
/** Blocks walked before other work of the thread gets its turn. */
const BLOCKS_A_TURN = 64
/** How often named interfaces are looked for: they may come, go, and come back as another. */
const LOOK_MS = 2000
/** How long the list of all interfaces that are up holds. */
const ALL_UP_MS = 10_000
/**
 * After a write was begun the kernel's ring is left alone for so long: a few blocks together cost less than each alone. It is looked at
 * as often whether the ring fills up behind a write that takes longer.
 */
const REST_MS = 12
/** How often it is looked whether the kernel has handed over a block that is not full, and for how long at most. */
const HANDED_MS = 5
const MOST_HANDED_MS = 2000

/** What the loops over packets remember. */
const LOOPS_BYTES = PlainPackets.bytes + EndsWalk.bytes + TwinPackets.bytes

/** Where frames and blocks lie, from where on the blocks, and at which address these are for other threads. */
export interface CaptureMemory {
  readonly buffer: ArrayBuffer
  readonly blocks: number
  readonly address: bigint
  /** Loops over packets that lie there. */
  readonly plain: PlainPackets
  readonly walk: EndsWalk
  /** Where packets of all interfaces come here, one that is forwarded comes more than once. */
  readonly twins?: TwinPackets
}

export interface CaptureOptions {
  /** Names, or `any`. */
  readonly interfaces: readonly string[]
  readonly snapLength: number
  readonly bufferSize: number
  /** The TCP port of our own traffic, which is left out. */
  readonly exceptPort?: number
  /** A BPF expression: only packets that match are captured. */
  readonly expression?: string
}

/** Live packets of this machine, from the kernel's ring to the block writer. Idle it costs nothing: it waits in poll. */
export class Capture {
  /** Packets that the kernel dropped because the ring was full. */
  drops = 0
  readonly memory: CaptureMemory
  readonly #options: CaptureOptions
  #expression: BpfFilter | undefined
  readonly #calls: SystemCalls
  readonly #socket: PacketSocket
  readonly #ring: KernelRing
  #writer: BlockWriter | undefined
  #poll: Poll | undefined
  /** The kernel's ring is left alone until this comes; it does not call meanwhile. */
  #rest: NodeJS.Timeout | undefined
  #resting = false
  #look: NodeJS.Timeout | undefined
  #found: readonly number[] = []
  #paused = false
  #up: string[] = []
  #upUntil = 0

  private constructor(options: CaptureOptions, calls: SystemCalls) {
    this.#options = options
    this.#expression = parsed(options.expression)
    this.#calls = calls
    this.#socket = new PacketSocket(calls, options.bufferSize, BLOCK_MEMORY, LOOPS_BYTES)
    const { memory, ringBytes, sharedAddress } = this.#socket
    const behind = ringBytes + BLOCK_MEMORY
    this.#ring = new KernelRing(memory.buffer, ringBytes)
    this.memory = {
      buffer: memory.buffer,
      blocks: ringBytes,
      address: sharedAddress,
      plain: new PlainPackets(memory, behind),
      walk: new EndsWalk(memory, behind + PlainPackets.bytes),
      ...(this.#any() && { twins: new TwinPackets(memory, behind + PlainPackets.bytes + EndsWalk.bytes) }),
    }
  }

  /** Opens the socket, silent yet. Rejects where that is not allowed or not possible. */
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
    this.#poll = this.#calls.whenReadable(this.#socket.fd, () => this.#drain(BLOCKS_A_TURN))
    if (!this.#any()) this.#look = setInterval(() => this.#refresh(), LOOK_MS)
  }

  /** Names of the interfaces that are captured on now. */
  get interfaces(): string[] {
    if (this.#any()) return this.#allUp()
    return this.#options.interfaces.filter((name) => this.#socket.interfaceIndex(name) !== undefined)
  }

  /** Names that were asked for and are not there. */
  get missing(): string[] {
    if (this.#any()) return []
    return this.#options.interfaces.filter((name) => this.#socket.interfaceIndex(name) === undefined)
  }

  nameOf(index: number): string | undefined {
    return this.#socket.interfaceName(index)
  }

  /** While paused no packet is copied at all: for when nobody wants them. */
  setPaused(paused: boolean): void {
    if (paused === this.#paused) return
    this.#paused = paused
    this.#socket.filter(this.#filter())
  }

  /** Captures only what matches from now on; throws, and changes nothing, where that cannot be. */
  setExpression(text: string): void {
    const before = this.#expression
    this.#expression = parsed(text)
    try {
      if (this.#writer) this.#socket.filter(this.#filter())
    } catch (error) {
      this.#expression = before
      throw error
    }
  }

  /** Takes what the kernel counted into account now. */
  count(): void {
    const { drops } = this.#socket.counts()
    this.drops += drops
    this.#writer?.flush(drops)
  }

  /** Resolves when the writer has all that was captured before. The kernel hands over a block that is not full after a moment. */
  async caughtUp(): Promise<void> {
    const ring = this.#ring
    const all = ring.begun
    const until = performance.now() + MOST_HANDED_MS
    while (ring.taken < all && performance.now() < until) {
      // While it rests, a write is under way, and takes the next turn when it has ended.
      if (!this.#resting) this.#drain(BLOCKS_A_TURN)
      if (ring.taken < all) await sleep(HANDED_MS)
    }
  }

  /** Ends without losing what was captured before. */
  async stop(): Promise<void> {
    clearInterval(this.#look)
    this.#socket.filter(rejectAll())
    await this.caughtUp()
    this.#poll?.stop()
    this.#poll?.close()
    this.#poll = undefined
    clearTimeout(this.#rest)
    if (this.#writer) this.#writer.hurry = true
    await this.#writer?.settled()
    this.#drain(Number.POSITIVE_INFINITY)
    this.#socket.close()
  }

  /** A node has hundreds of interfaces, and whoever asks does so every second. */
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
    // At the end, and where the disk is late or the kernel has little room left, nothing waits.
    writer.hurry = this.#poll === undefined || ring.isBehind || writer.isLate
    let walked = 0
    for (; walked < blocks && ring.next(writer); walked++)
      if (this.#mustStore()) {
        if (!writer.hurry) break
        writer.flush(0)
      }
    // Asking costs as much as some hundred packets; the kernel says when there is a reason.
    if (ring.takeLosing()) this.count()
    else writer.flush(0)
    // The kernel calls as long as the newest block is not given back, also where there is no other.
    const idle = walked === 0 || !writer.hurry
    if (this.#poll && writer.isWriting && idle && (ring.kept > 0 || writer.hasMore)) this.#wait()
  }

  #mustStore(): boolean {
    return this.#ring.kept >= this.#ring.mostKept || this.#writer?.isFull === true
  }

  /** Leaves the kernel's ring alone until the write has ended and some time has passed, unless it fills up. */
  #wait(): void {
    if (!this.#resting) this.#poll?.stop()
    this.#resting = true
    this.#rest = setTimeout(() => {
      const isLate = this.#ring.isBehind || this.#writer?.isLate
      if (this.#writer?.isWriting && !isLate) return this.#wait()
      this.#writer?.leave()
      this.#resume()
    }, REST_MS)
  }

  /** What was in these blocks is stored, and what came since can be. */
  #stored(blocks: readonly number[]): void {
    for (const at of blocks) this.#ring.giveBack(at)
    if (this.#rest && this.#ring.isBehind) this.#resume()
  }

  /** There may be blocks already; only where there are none the kernel has to call. */
  #resume(): void {
    clearTimeout(this.#rest)
    this.#rest = undefined
    if (!this.#poll) return
    this.#drain(BLOCKS_A_TURN)
    if (this.#rest) return
    this.#resting = false
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

  #filter(): Uint8Array {
    if (this.#paused || (!this.#any() && this.#found.length === 0)) return rejectAll()
    const { snapLength, exceptPort } = this.#options
    return kernelFilter({
      snapLength,
      ...(exceptPort === undefined ? {} : { exceptPort }),
      ...(this.#expression && { expression: this.#expression }),
      ...(this.#any() ? {} : { interfaces: this.#found }),
    })
  }
}

function parsed(expression: string | undefined): BpfFilter | undefined {
  return expression ? BpfFilter.parse(expression) : undefined
}
