import {
  type Loss,
  type PacketRun,
  type PacketSink,
  type Shard,
  type StagedRecords,
  type StreamLimits,
  Streams,
} from '@tapdeck/wire'
import { Engine, type EngineOptions } from './engine/engine.ts'

export interface DissectionOptions extends EngineOptions {
  /** Ceilings of the streams below. */
  readonly streamLimits?: Partial<StreamLimits>
  /** Follows only its share of the flows; is given all packets. The ceilings are those of this share. */
  readonly shard?: Shard
  /** Is given the lookups of names among the flows of other shards. */
  readonly lookups?: Dissection
}

/** Packets in, calls out: streams and engine as one. Live indexing, jobs and the command line all use this. */
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

  get calls(): number {
    return this.engine.calls
  }

  /** Calls then point into these bytes, which spares copies. */
  lasting(bytes: Uint8Array): void {
    this.engine.lasting(bytes)
    this.streams.lasting()
  }

  run(run: PacketRun): void {
    this.streams.run(run)
  }

  get sifts(): boolean {
    return this.streams.sifts
  }

  sift(records: StagedRecords): void {
    this.streams.sift(records)
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    this.streams.packet(data, start, end, length, time, link)
  }

  /** Time goes on although no packet comes: whoever captures live calls this now and then, in the packets' clock. */
  advance(now: number): void {
    this.streams.advance(now)
  }

  /** No more packets: every flow closes and says its last word. */
  end(): void {
    this.streams.end()
  }
}
