import { Dissection, type DissectionOptions, defaultLimits } from '@tapdeck/dissect'
import {
  DEFAULT_STREAM_LIMITS,
  type Loss,
  type PacketRun,
  type PacketSink,
  type Shard,
  type StagedRecords,
} from '@tapdeck/wire'

/** Dissections one after another that tell the same listener; of all flows, or of those of a shard. */
export class DissectionSeries implements PacketSink {
  readonly loss: Loss
  readonly #options: DissectionOptions
  #dissection: Dissection
  #lasting: Uint8Array | undefined

  constructor(options: DissectionOptions, shard?: Shard) {
    this.loss = options.loss ?? {}
    this.#options = shard === undefined ? { ...options, loss: this.loss } : share(options, this.loss, shard)
    this.#dissection = new Dissection(this.#options)
  }

  lasting(bytes: Uint8Array): void {
    this.#lasting = bytes
    this.#dissection.lasting(bytes)
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    this.#dissection.packet(data, start, end, length, time, link)
  }

  run(run: PacketRun): void {
    this.#dissection.run(run)
  }

  get sifts(): boolean {
    return this.#dissection.sifts
  }

  sift(records: StagedRecords): void {
    this.#dissection.sift(records)
  }

  /** What comes now has nothing to do with what came before. */
  restart(): void {
    this.#dissection.end()
    this.#dissection = new Dissection(this.#options)
    if (this.#lasting !== undefined) this.#dissection.lasting(this.#lasting)
  }

  end(): void {
    this.#dissection.end()
  }
}

/** All shards together stay below the ceilings that one dissection has. Fragments are held by each of them. */
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
