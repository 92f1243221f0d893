import { readdirSync, readFileSync } from 'node:fs'
import { CaptureReader, Streams } from '@tapdeck/wire'
import { type BuiltPacket, ETHERNET, feed, Recorder, type StreamEvent } from '@tapdeck/wire/testing'

/** Some traffic with a name: what a protocol is tried on. */
export interface Fixture {
  readonly name: string
  /** Where its golden JSON stands. */
  readonly golden: URL
  readonly events: readonly StreamEvent[]
}

/** Traffic that a test wrote down packet by packet. */
export function builtFixture(name: string, folder: URL, packets: Iterable<BuiltPacket>): Fixture {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  feed(streams, packets, ETHERNET)
  streams.end()
  return { name, golden: new URL(`${name}.golden.json`, folder), events: recorder.events }
}

/** Every capture of a folder. */
export function captureFixtures(folder: URL): Fixture[] {
  return listCaptures(folder).map((name) => captureFixture(new URL(name, folder)))
}

export function listCaptures(folder: URL): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pcap'))
      .sort()
  } catch {
    return []
  }
}

export function captureFixture(file: URL): Fixture {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  const reader = new CaptureReader(streams, streams.loss)
  reader.push(new Uint8Array(readFileSync(file)))
  reader.end()
  streams.end()
  const name = decodeURIComponent(file.pathname.split('/').at(-1) ?? '').replace(/\.pcap$/, '')
  return { name, golden: new URL(`${name}.golden.json`, file), events: recorder.events }
}
