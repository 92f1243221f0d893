import { type StreamOptions, Streams } from '../streams.ts'
import { type BuiltPacket, ETHERNET, feed } from './conversation.ts'
import { Recorder } from './recorder.ts'

/** Runs packets through `Streams` to their end and returns the recorded events. */
export function follow(
  packets: Iterable<BuiltPacket>,
  options?: StreamOptions,
  link = ETHERNET,
): { readonly recorder: Recorder; readonly streams: Streams } {
  const recorder = new Recorder()
  const streams = new Streams(recorder, options)
  feed(streams, packets, link)
  streams.end()
  return { recorder, streams }
}

/** Packets from frames, one every `step` microseconds. */
export function timed(
  frames: Iterable<Uint8Array>,
  step = 1000,
  start = 1_700_000_000_000_000,
): BuiltPacket[] {
  return Array.from(frames, (data, index) => ({ data, time: start + index * step }))
}
