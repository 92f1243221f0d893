import { Dissection, type DissectionOptions, defaultLimits } from '@tapdeck/dissect'
import {
  DEFAULT_STREAM_LIMITS,
  type Loss,
  type PacketSink,
  type RecordBatch,
  type Shard,
} from '@tapdeck/wire'

/** Successive dissections with the same options; of all flows, or of those of a shard. */
export class RestartableDissection implements PacketSink {
  readonly loss: Loss
  readonly #options: DissectionOptions
  #dissection: Dissection
  #stableChunk: Uint8Array | undefined

  constructor(options: DissectionOptions, shard?: Shard) {
    this.loss = options.loss ?? {}
    this.#options = shard === undefined ? { ...options, loss: this.loss } : share(options, this.loss, shard)
    this.#dissection = new Dissection(this.#options)
  }

  onStableChunk(bytes: Uint8Array): void {
    this.#stableChunk = bytes
    this.#dissection.onStableChunk(bytes)
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    this.#dissection.packet(data, start, end, length, time, link)
  }

  get dropsForeignPackets(): boolean {
    return this.#dissection.dropsForeignPackets
  }

  dropForeignPackets(records: RecordBatch): void {
    this.#dissection.dropForeignPackets(records)
  }

  /** The next packets are unrelated to those before. */
  restart(): void {
    this.#dissection.end()
    this.#dissection = new Dissection(this.#options)
    if (this.#stableChunk !== undefined) this.#dissection.onStableChunk(this.#stableChunk)
  }

  end(): void {
    this.#dissection.end()
  }
}

/** Divides the limits of one dissection among the shards. Each shard holds all fragments. */
function share(options: DissectionOptions, loss: Loss, shard: Shard): DissectionOptions {
  const limits = { ...defaultLimits, ...options.limits }
  const streamLimits = { ...DEFAULT_STREAM_LIMITS, ...options.streamLimits }
  const part = (whole: number) => Math.ceil(whole / shard.count)
  return {
    ...options,
    loss,
    shard,
    limits: { ...limits, total: part(limits.total) },
    streamLimits: { ...streamLimits, flows: part(streamLimits.flows), held: part(streamLimits.held) },
  }
}
