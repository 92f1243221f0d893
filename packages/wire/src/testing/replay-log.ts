import { chunkMemory } from '../accelerated/wasm-chunk-memory.ts'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import type { PacketSink } from '../packet-sink.ts'
import type { RecordBatch } from '../record-batch.ts'
import { type StreamOptions, Streams } from '../streams.ts'
import { Recorder } from './recorder.ts'

/**
 * How a file is read. `whole`: all packets. `filtered`: foreign packets are dropped first. `read-buffer`: also, chunks
 * are read into WebAssembly memory.
 */
export type ReplayMode = 'whole' | 'filtered' | 'read-buffer'

function inReadBuffer(part: Uint8Array): Uint8Array {
  const buffer = chunkMemory.borrowReadBuffer()
  buffer.set(part)
  return buffer.subarray(0, part.length)
}

/** Reads a file and logs all events, with the counters of the flow at that moment. */
export function replayLog(file: Uint8Array, chunk: number, mode: ReplayMode, options: StreamOptions = {}) {
  const log: string[] = []
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
  const packet: PacketSink['packet'] = (...given) => streams.packet(...given)
  const dropsForeignPackets = mode !== 'whole'
  const dropForeignPackets = (records: RecordBatch) => {
    streams.dropForeignPackets(records)
    dropped += records.packets
  }
  const sink: PacketSink = dropsForeignPackets
    ? { packet, dropsForeignPackets, dropForeignPackets }
    : { packet }
  const reader = new CaptureReader(sink, streams.loss)
  for (let at = 0; at < file.length; at += chunk) {
    const part = file.slice(at, at + chunk)
    reader.push(mode === 'read-buffer' ? inReadBuffer(part) : part, dropsForeignPackets)
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
  const { packets, bytes, loss } = streams
  return {
    dropped,
    log,
    counts: { packets, bytes, loss, read: reader.packets, length: reader.bytes },
  }
}
