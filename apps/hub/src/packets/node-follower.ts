import { Problem } from '@tapdeck/api'
import { CaptureReader } from '@tapdeck/wire'
import type { Worker } from '../cluster/worker.ts'
import { PacketOrigin, type PcapngCapture } from '../export/capture-writer.ts'
import type { PacketTest } from '../export/conversations.ts'
import type { FlowComments } from '../export/flow-comments.ts'
import type { PacketOutlet } from './packet-outlet.ts'

/** Packets of a node that are wanted. Times are Unix milliseconds. */
export interface WantedPackets {
  readonly start: number
  readonly end: number
  /** Only packets that have a key of each list are sent by the worker; see `PacketKeys`. */
  readonly parties?: readonly (readonly number[])[]
  readonly test: PacketTest
  sent?(): void
}

export interface FollowOptions {
  readonly outlet: PacketOutlet
  readonly writer: PcapngCapture
  readonly comments: FlowComments
  readonly signal: AbortSignal
  /** What is wanted of a part of the recording; undefined: nothing of it. */
  wanted(node: string, start: number, end: number): WantedPackets | undefined
  /** Called before packets up to a time of the node are passed on. */
  before(worker: Worker, until: number): Promise<void>
  /** The clock of the hub, Unix milliseconds. */
  now(): number
}

const ANSWER_WITHIN = 3000
const PIECE_WITHIN = 30_000
/** By then the kernel has handed a packet over. */
const SETTLED_MS = 400
/** The recording is the buffer of a slow reader: what is older is skipped. */
const MAX_BEHIND_MS = 30_000
const MAX_SLICE_MS = 1000
const MICROSECOND = 0.001

/** The packets of one node, from the moment of the first step on, out of its recording. */
export class NodeFollower {
  readonly #options: FollowOptions
  readonly #origin: PacketOrigin
  /** Everything up to here was passed on, by the clock of the node. */
  #until: number | undefined
  #skipped = 0
  #wasAway = false

  constructor(node: string, options: FollowOptions) {
    this.#origin = new PacketOrigin(node)
    this.#options = options
  }

  /** Passes on what was recorded since the last step. Whether there may be more. */
  async step(worker: Worker): Promise<boolean> {
    const { signal, now } = this.#options
    try {
      const recorded = await worker.ask('boundaries', {}, { patience: ANSWER_WITHIN, signal })
      const settled = (recorded.now ?? Math.min(recorded.newest_ts ?? 0, now())) - SETTLED_MS
      this.#until ??= settled
      if (settled - this.#until > MAX_BEHIND_MS) await this.#skip(worker, settled - MAX_SLICE_MS)
      if (settled <= this.#until) return false
      const end = Math.min(settled, this.#until + MAX_SLICE_MS)
      await this.#pass(worker, this.#until, end)
      this.#until = end
      this.#wasAway = false
      return end < settled
    } catch (error) {
      // The next connection of the node goes on where this one was.
      if (!(error instanceof Problem) || signal.aborted) throw error
      this.#wasAway = true
      return false
    }
  }

  async #pass(worker: Worker, from: number, end: number): Promise<void> {
    const { outlet, writer, comments, signal, before } = this.#options
    const wanted = this.#options.wanted(worker.node, from + MICROSECOND, end)
    if (wanted === undefined) return
    await before(worker, end)
    const { start, parties, test } = wanted
    const [first, last] = [start * 1000, wanted.end * 1000]
    const reader = new CaptureReader(
      {
        packet: (data, at, stop, length, time, link) => {
          if (time < first || time > last || !test(data, at, stop, length, time, link)) return
          const comment = comments.of(data, at, stop, length, time, link)
          const packet = { link, data, start: at, end: stop, length, time, comment }
          writer.packet(outlet.output, this.#origin, packet)
        },
      },
      {},
    )
    const answer = await worker.stream(
      'window',
      { start, end: wanted.end, ...(parties && { parties: parties.map((keys) => [...keys]) }) },
      async (bytes) => {
        reader.push(bytes)
        await outlet.written()
      },
      { patience: PIECE_WITHIN, signal },
    )
    if (answer.dropped_packets > 0) {
      this.#skipped += answer.dropped_packets
      await this.#notice(end, `${answer.dropped_packets} packets were not captured: the node was too busy`)
    }
    wanted.sent?.()
  }

  async #skip(worker: Worker, to: number): Promise<void> {
    const { signal } = this.#options
    const from = this.#until ?? to
    const counted = { start: from + MICROSECOND, end: to, count_only: true as const }
    const { packet_count } = await worker.stream('window', counted, async () => {}, {
      patience: PIECE_WITHIN,
      signal,
    })
    this.#until = to
    this.#skipped += packet_count
    const why = this.#wasAway ? 'the node was not connected' : 'the capture is read too slowly'
    const when = `${new Date(from).toISOString()} to ${new Date(to).toISOString()}`
    await this.#notice(to, `${packet_count} recorded packets from ${when} were skipped: ${why}`)
  }

  #notice(time: number, text: string): Promise<void> {
    const { outlet, writer } = this.#options
    const comment = `tapdeck: ${this.#origin.node}: ${text}`
    writer.notice(outlet.output, this.#origin, Math.floor(time * 1000), this.#skipped, comment)
    return outlet.written()
  }
}
