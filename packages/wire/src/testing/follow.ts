import { type StreamOptions, Streams } from '../streams.ts'
import { type BuiltPacket, ETHERNET, feed } from './conversation.ts'
import { Recorder } from './recorder.ts'

/** Runs packets through `Streams` to their end and returns what was told of them. */
export function follow(
  packets: Iterable<BuiltPacket>,
  options?: StreamOptions,
  link = ETHERNET,
): { readonly told: Recorder; readonly streams: Streams } {
  const told = new Recorder()
  const streams = new Streams(told, options)
  feed(streams, packets, link)
  streams.end()
  return { told, streams }
}

/** Packets from frames, one every `step` microseconds. */
export function timed(
  frames: Iterable<Uint8Array>,
  step = 1000,
  start = 1_700_000_000_000_000,
): BuiltPacket[] {
  return Array.from(frames, (data, index) => ({ data, time: start + index * step }))
}
