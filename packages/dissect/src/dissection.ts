import {
  type Loss,
  type PacketSink,
  type RecordBatch,
  type Shard,
  type StreamLimits,
  Streams,
} from '@tapdeck/wire'
import { Engine, type EngineOptions } from './engine/engine.ts'

export interface DissectionOptions extends EngineOptions {
  /** Limits of stream reassembly. */
  readonly streamLimits?: Partial<StreamLimits>
  /** Receives all packets and follows only the flows of its shard. Limits apply to this shard. */
  readonly shard?: Shard
  /** Receives the DNS lookups among the flows of other shards. */
  readonly lookups?: Dissection
}

/** Packets in, calls out: stream reassembly and engine together. Used by live indexing, jobs and the command line. */
export class Dissection implements PacketSink {
  readonly engine: Engine
  readonly streams: Streams

  constructor(options: DissectionOptions) {
    const loss = options.loss ?? {}
    this.engine = new Engine({ ...options, loss })
    const { shard, streamLimits, lookups } = options
    this.streams = new Streams(this.engine, {
      loss,
      ...(streamLimits !== undefined && { limits: streamLimits }),
      ...(shard !== undefined && { shard }),
      ...(lookups !== undefined && { lookups: lookups.streams }),
    })
    this.engine.flip ??= (flow) => this.streams.flip(flow)
  }

  get loss(): Loss {
    return this.engine.loss
  }

  get packets(): number {
    return this.streams.packets
  }

  get bytes(): number {
    return this.streams.bytes
  }

  get duplicateCaptures(): number {
    return this.streams.duplicateCaptures
  }

  get calls(): number {
    return this.engine.calls
  }

  /** Calls then point into these bytes instead of copying them. */
  onStableChunk(bytes: Uint8Array): void {
    this.engine.lasting(bytes)
  }

  get dropsForeignPackets(): boolean {
    return this.streams.dropsForeignPackets
  }

  dropForeignPackets(records: RecordBatch): void {
    this.streams.dropForeignPackets(records)
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    this.streams.packet(data, start, end, length, time, link)
  }

  /** Moves time forward without packets. Live capture calls this regularly, in packet time. */
  advance(now: number): void {
    this.streams.advance(now)
  }

  /** No more packets: closes every flow and emits its remaining calls. */
  end(): void {
    this.streams.end()
  }
}
