import { chunkMemory } from '../accelerated/wasm-chunk-memory.ts'
import { CaptureNotes } from '../capture-file/capture-notes.ts'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import type { PacketRun } from '../packet-run.ts'
import type { PacketSink } from '../packet-sink.ts'
import type { RecordBatch } from '../record-batch.ts'
import { type StreamOptions, Streams } from '../streams.ts'
import { Recorder } from './recorder.ts'

/** A sink that loads stable chunks for its streams, as the engine does. */
export function sinkOf(streams: Streams, run = (given: PacketRun) => streams.run(given)) {
  return {
    packet: (...given: Parameters<Streams['packet']>) => streams.packet(...given),
    run,
    onStableChunk(chunk: Uint8Array) {
      chunkMemory.begin(chunk)
      streams.onStableChunk()
    },
  }
}

/**
 * How a file is read. `slow`: packet by packet. `fast`: WebAssembly takes what it can. `filtered`: also, foreign
 * packets are dropped first. `read-buffer`: also, chunks are read into WebAssembly memory.
 */
export type ReplayMode = 'slow' | 'fast' | 'filtered' | 'read-buffer'

function inReadBuffer(part: Uint8Array): Uint8Array {
  const buffer = chunkMemory.borrowReadBuffer()
  buffer.set(part)
  return buffer.subarray(0, part.length)
}

/** Reads a file and logs all events, with the counters of the flow at that moment. */
export function replayLog(file: Uint8Array, chunk: number, mode: ReplayMode, options: StreamOptions = {}) {
  const log: string[] = []
  const notes = new CaptureNotes()
  /** Packets that WebAssembly took, and packets that were dropped. */
  let taken = 0
  let dropped = 0
  const recorder = new (class extends Recorder {
    override data(...given: Parameters<Recorder['data']>): void {
      super.data(...given)
      log.push(JSON.stringify([given[0].directions, given[0].tcp, given[0].last]))
    }

    advance(now: number): void {
      log.push(`advance to ${now}`)
    }
  })()
  const streams = new Streams(recorder, options)
  const fast = sinkOf(streams, (run) => {
    streams.run(run)
    taken += run.packets
  })
  const dropsForeignPackets = mode === 'filtered' || mode === 'read-buffer'
  const dropForeignPackets = (records: RecordBatch) => {
    streams.dropForeignPackets(records)
    dropped += records.packets
  }
  const sink: PacketSink =
    mode === 'slow' ? { packet: fast.packet } : { ...fast, dropsForeignPackets, dropForeignPackets }
  // Packets with notes are never dropped.
  const reader = new CaptureReader(sink, streams.loss, dropsForeignPackets ? undefined : notes)
  for (let at = 0; at < file.length; at += chunk) {
    const part = file.slice(at, at + chunk)
    reader.push(mode === 'read-buffer' ? inReadBuffer(part) : part, mode !== 'slow')
  }
  reader.end()
  streams.end()
  for (const event of recorder.events) {
    const { flow, ...rest } = event
    const bytes = 'bytes' in event ? Buffer.from(event.bytes).toString('latin1') : undefined
    log.push(JSON.stringify([flow.id, { ...rest, bytes }]))
  }
  for (const flow of recorder.flows)
    log.push(JSON.stringify([flow.id, flow.directions, flow.tcp, flow.closed, flow.closedBy]))
  const comments = notes.comments.map(({ text, packet }) => `${packet} ${text}`)
  const { packets, bytes, loss } = streams
  return {
    taken,
    dropped,
    log,
    comments,
    counts: { packets, bytes, loss, read: reader.packets, length: reader.bytes },
  }
}
