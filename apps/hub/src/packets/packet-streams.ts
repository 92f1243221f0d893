import { Problem } from '@tapdeck/api'
import type { BpfFilter } from '@tapdeck/bpf'
import type { Workers } from '../cluster/workers.ts'
import type { Directory } from '../directory.ts'
import type { Batch, LiveSubscriptions } from '../live/live-subscriptions.ts'
import type { SnapshotKeys } from '../snapshots/snapshot-keys.ts'
import { LivePackets } from './live-packets.ts'
import { MatchedConnections } from './matched-connections.ts'
import type { PodSelection } from './pod-addresses.ts'

export interface PacketStreamsOptions {
  readonly workers: Workers
  readonly directory: Directory
  readonly subscriptions: LiveSubscriptions
  readonly keys: SnapshotKeys
  readonly now: () => number
  /** How many streams look for calls of a filter, whenever that changes. */
  readonly searching: (count: number) => void
}

export interface PacketStreamRequest {
  /** Names of connected nodes; undefined: all. */
  readonly nodes: readonly string[] | undefined
  readonly selection: PodSelection
  readonly bpf: BpfFilter | undefined
  /** Of what the caller may see. Must have been checked. */
  readonly kfl: string | undefined
  readonly withKeys: boolean
}

const MAX_STREAMS = 16

/** The live captures that are being read. */
export class PacketStreams {
  readonly #options: PacketStreamsOptions
  readonly #open = new Set<LivePackets>()
  #searching = 0

  constructor(options: PacketStreamsOptions) {
    this.#options = options
  }

  /** A live capture, until it is cancelled. Throws 503 if there are too many. */
  open({ nodes, selection, bpf, kfl, withKeys }: PacketStreamRequest): ReadableStream<Uint8Array> {
    if (this.#open.size >= MAX_STREAMS)
      throw new Problem(503, 'too_many_streams', `Too many live captures (max ${MAX_STREAMS})`)
    const { workers, directory, subscriptions, keys, now } = this.#options
    const matched = kfl === undefined ? undefined : new MatchedConnections(withKeys)
    const packets = new LivePackets({
      workers: () => workers.connected.filter(({ node }) => nodes?.includes(node) ?? true),
      ...{ directory, selection, bpf, matched, now },
      keys: withKeys ? keys : undefined,
    })
    const take = ({ calls, skipped, from, to }: Batch) => {
      matched?.add(calls)
      matched?.skipped.add({ skipped, ...(from !== undefined && to !== undefined && { from, to }) })
    }
    if (kfl !== undefined) {
      subscriptions.read(kfl, take)
      this.#count(1)
    }
    this.#open.add(packets)
    const end = () => {
      packets.stop()
      if (!this.#open.delete(packets) || kfl === undefined) return
      subscriptions.leave(kfl, take)
      this.#count(-1)
    }
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const piece = await packets.next()
            if (piece !== undefined) return controller.enqueue(piece)
            end()
            controller.close()
          } catch (error) {
            end()
            throw error
          }
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    )
  }

  close(): void {
    for (const packets of this.#open) packets.stop()
  }

  #count(change: 1 | -1): void {
    this.#searching += change
    this.#options.searching(this.#searching)
  }
}
