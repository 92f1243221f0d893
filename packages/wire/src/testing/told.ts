import { CaptureNotes } from '../capture-file/capture-notes.ts'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import { shadow } from '../lasting-shadow.ts'
import type { PacketRun } from '../packet-run.ts'
import type { PacketSink } from '../packet-sink.ts'
import type { StagedRecords } from '../staged-records.ts'
import { type StreamOptions, Streams } from '../streams.ts'
import { Recorder } from './recorder.ts'

/** Streams that say whether bytes last, as the engine does for those that it has. */
export function sinkOf(streams: Streams, run = (given: PacketRun) => streams.run(given)) {
  return {
    packet: (...given: Parameters<Streams['packet']>) => streams.packet(...given),
    run,
    lasting(bytes: Uint8Array) {
      shadow.begin(bytes)
      streams.lasting()
    },
  }
}

/**
 * How a file is read. `plain`: packet by packet. `quick`: what code can take is taken by it. `sifted`: so, and foreign packets
 * are left out before. `staged`: chunks are read to where they are left out.
 */
export type Way = 'plain' | 'quick' | 'sifted' | 'staged'

/** As whoever reads a file to the stage does. */
function onStage(part: Uint8Array): Uint8Array {
  const stage = shadow.takeStage()
  stage.set(part)
  return stage.subarray(0, part.length)
}

/** All that is told of a file, with the figures of the flow at that moment; how many packets were taken by code, and left out. */
export function told(file: Uint8Array, chunk: number, way: Way, options: StreamOptions = {}) {
  const log: string[] = []
  const notes = new CaptureNotes()
  let taken = 0
  let leftOut = 0
  const recorder = new (class extends Recorder {
    override data(...given: Parameters<Recorder['data']>): void {
      super.data(...given)
      log.push(JSON.stringify([given[0].halves, given[0].tcp, given[0].last]))
    }

    advance(now: number): void {
      log.push(`a look around at ${now}`)
    }
  })()
  const streams = new Streams(recorder, options)
  const quick = sinkOf(streams, (run) => {
    streams.run(run)
    taken += run.packets
  })
  const sifts = way === 'sifted' || way === 'staged'
  const sift = (records: StagedRecords) => {
    streams.sift(records)
    leftOut += records.packets
  }
  const sink: PacketSink = way === 'plain' ? { packet: quick.packet } : { ...quick, sifts, sift }
  // Nobody leaves out packets that somebody may have a note of.
  const reader = new CaptureReader(sink, streams.loss, sifts ? undefined : notes)
  for (let at = 0; at < file.length; at += chunk) {
    const part = file.slice(at, at + chunk)
    reader.push(way === 'staged' ? onStage(part) : part, way !== 'plain')
  }
  reader.end()
  streams.end()
  for (const event of recorder.events) {
    const { flow, ...rest } = event
    const bytes = 'bytes' in event ? Buffer.from(event.bytes).toString('latin1') : undefined
    log.push(JSON.stringify([flow.id, { ...rest, bytes }]))
  }
  for (const flow of recorder.flows)
    log.push(JSON.stringify([flow.id, flow.halves, flow.tcp, flow.closed, flow.closedBy]))
  const comments = notes.comments.map(({ text, packet }) => `${packet} ${text}`)
  const { packets, bytes, loss } = streams
  return {
    taken,
    leftOut,
    log,
    comments,
    counts: { packets, bytes, loss, read: reader.packets, length: reader.bytes },
  }
}
