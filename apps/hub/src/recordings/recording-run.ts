import type { FileHandle } from 'node:fs/promises'
import { type Boundaries, type DiskBudget, isDiskFull, OutOfSpace } from '@tapdeck/recording'
import { boundariesOf } from '../cluster/boundaries-of.ts'
import type { Worker } from '../cluster/worker.ts'
import { boundedGaps } from './recording-gaps.ts'
import type { RecordingNode, RecordingRecord } from './recording-record.ts'
import type { RecordingRepository } from './recording-repository.ts'

export interface RecordingRunOptions {
  readonly repository: RecordingRepository
  readonly room: DiskBudget
  /** Packets to be taken; empty: all. */
  readonly parties: readonly (readonly number[])[]
  readonly record: () => RecordingRecord
  readonly change: (change: Partial<RecordingRecord>) => void
}

export type SliceOutcome = 'taken' | 'full'

const PIECE_WITHIN = 30_000
const NODES_AT_ONCE = 8
/** A node that was away is caught up with in steps. */
const MAX_SLICE_MS = 60_000
/** Shorter windows are not tried where a slice does not fit. */
const SHORTEST_SLICE_MS = 10
/** Windows include both their ends: the next one begins a microsecond later. */
const MICROSECOND = 0.001

class Full extends Error {}

/** Takes packets out of the rings, slice by slice, before the rings let go of them. */
export class RecordingRun {
  readonly #options: RecordingRunOptions
  readonly #stopped = new AbortController()
  /** Where the ring of each node began when it was last looked at. */
  readonly #oldest = new Map<string, number>()
  /** What each node had captured when it was last looked at, and up to when. */
  readonly #captured = new Map<string, { readonly packets: number; readonly newest: number }>()
  /** Bytes of slices that are being written. */
  #writing = 0

  constructor(options: RecordingRunOptions) {
    this.#options = options
  }

  stop(): void {
    this.#stopped.abort()
  }

  /**
   * Brings all nodes up to a time. Throws `OutOfSpace`; a node that does not answer is caught up with later. `isLast`: nothing is
   * taken afterwards, so a node without newer packets is brought up to that time too.
   */
  async take(
    workers: readonly Worker[],
    until: number,
    failed: (worker: Worker, error: unknown) => void,
    isLast = false,
  ) {
    const waiting = [...workers]
    let outcome: SliceOutcome = 'taken'
    const next = async () => {
      for (let worker = waiting.shift(); worker !== undefined; worker = waiting.shift())
        try {
          if ((await this.#catchUp(worker, until, isLast)) === 'full') outcome = 'full'
        } catch (error) {
          if (isOutOfSpace(error)) throw isOutOfSpace(error)
          failed(worker, error)
        }
    }
    await Promise.all(Array.from({ length: NODES_AT_ONCE }, next))
    return outcome as SliceOutcome
  }

  async #catchUp(worker: Worker, until: number, isLast: boolean): Promise<SliceOutcome> {
    const at = this.#place(worker)
    // Not what was last reported: a busy worker reports late.
    const recorded = await boundariesOf(worker)
    this.#noteRestart(worker, recorded)
    this.#noteOverwritten(worker, recorded, at)
    // A quiet ring, or one whose clock is behind, has nothing yet that could be missed.
    const end = isLast ? until : Math.min(until, recorded.newest_ts ?? 0)
    for (;;) {
      const { until_ts } = this.#node(at)
      if (this.#stopped.signal.aborted || end <= until_ts) return 'taken'
      if ((await this.#fit(worker, at, Math.min(end, until_ts + MAX_SLICE_MS))) === 'full') return 'full'
    }
  }

  /** Up to a time, or as much of it as fits into the limit. */
  async #fit(worker: Worker, at: number, end: number): Promise<SliceOutcome> {
    for (let span = end - this.#node(at).until_ts; this.#node(at).until_ts < end; )
      try {
        await this.#slice(worker, at, Math.min(end, this.#node(at).until_ts + span))
      } catch (error) {
        if (!(causeOf(error) instanceof Full)) throw error
        span /= 2
        if (span < SHORTEST_SLICE_MS) return 'full'
      }
    return 'taken'
  }

  async #slice(worker: Worker, at: number, end: number): Promise<void> {
    const { repository, room, parties, record, change } = this.#options
    const { until_ts, slices } = this.#node(at)
    const file = await repository.openSlice(record(), at)
    let bytes = 0
    try {
      const answer = await worker.stream(
        'window',
        {
          start: slices === 0 ? until_ts : until_ts + MICROSECOND,
          end,
          ...(parties.length > 0 && { parties }),
        },
        async (piece) => {
          if (totalBytes(record()) + this.#writing + piece.length > record().max_bytes) throw new Full()
          room.take(piece.length)
          bytes += piece.length
          this.#writing += piece.length
          await writeAll(file, piece)
        },
        { patience: PIECE_WITHIN, signal: this.#stopped.signal },
      )
      const some = answer.packet_count > 0
      if (some) await file.sync()
      await file.close()
      if (some) await repository.finishSlice(record(), at)
      else await repository.dropSlice(record(), at)
      if (!some) room.give(bytes)
      this.#writing -= bytes
      if (answer.partial && (this.#oldest.get(worker.node) ?? end) <= until_ts)
        this.#noteGap(worker.node, until_ts, end, 'overwritten in the recording before all of it was taken')
      const before = this.#node(at)
      const after: RecordingNode = {
        ...before,
        until_ts: end,
        slices: before.slices + (some ? 1 : 0),
        size_bytes: before.size_bytes + (some ? bytes : 0),
        packet_count: before.packet_count + answer.packet_count,
        dropped_packets: before.dropped_packets + answer.dropped_packets,
      }
      change({ nodes: record().nodes.map((node, place) => (place === at ? after : node)) })
    } catch (error) {
      await file.close().catch(() => {})
      await repository.dropSlice(record(), at)
      room.give(bytes)
      this.#writing -= bytes
      throw error
    }
  }

  /** A worker that counts from the beginning again was not there for a while. Newer ones report it themselves. */
  #noteRestart({ node, report }: Worker, { newest_ts }: Boundaries): void {
    const before = this.#captured.get(node)
    const newest = newest_ts ?? before?.newest ?? this.#options.record().starts_ts
    this.#captured.set(node, { packets: report.packets_captured, newest })
    if (report.coverage || before === undefined || report.packets_captured >= before.packets) return
    this.#noteGap(node, before.newest, newest, 'the worker restarted: nothing was captured in between')
  }

  /** The ring has let go of packets that were not taken yet. */
  #noteOverwritten({ node, report }: Worker, { oldest_ts }: Boundaries, at: number): void {
    const { record, change } = this.#options
    if (oldest_ts === null) return
    const before = this.#oldest.get(node)
    this.#oldest.set(node, oldest_ts)
    const { until_ts, slices, taken_again = false } = this.#node(at)
    const hasDeleted = (report.coverage?.recorded.forgotten ?? 0) > until_ts
    const mayHaveLost = hasDeleted || (before === undefined ? slices > 0 || taken_again : before < oldest_ts)
    if (!mayHaveLost || oldest_ts <= until_ts) return
    this.#noteGap(node, until_ts, oldest_ts, 'already overwritten in the recording')
    change({
      nodes: record().nodes.map((one, place) => (place === at ? { ...one, until_ts: oldest_ts } : one)),
    })
  }

  #noteGap(node: string, from_ts: number, to_ts: number, reason: string): void {
    const { record, change } = this.#options
    change({ gaps: boundedGaps([...record().gaps, { node, from_ts, to_ts, reason }]) })
  }

  #place({ node }: Worker): number {
    const { record, change } = this.#options
    const at = record().nodes.findIndex(({ name }) => name === node)
    if (at >= 0) return at
    const fresh = { name: node, slices: 0, size_bytes: 0, packet_count: 0, dropped_packets: 0 }
    change({ nodes: [...record().nodes, { ...fresh, until_ts: record().starts_ts }] })
    return record().nodes.length - 1
  }

  #node(at: number): RecordingNode {
    return this.#options.record().nodes[at]!
  }
}

export function totalBytes({ nodes }: RecordingRecord): number {
  return nodes.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; )
    try {
      at += (await file.write(bytes, at, bytes.length - at)).bytesWritten
    } catch (error) {
      if (isDiskFull(error)) throw new OutOfSpace('the disk is full', bytes.length - at, 0)
      throw error
    }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error
}

function isOutOfSpace(error: unknown): OutOfSpace | undefined {
  const cause = causeOf(error)
  return cause instanceof OutOfSpace ? cause : undefined
}
