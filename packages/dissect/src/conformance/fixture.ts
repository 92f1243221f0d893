import { readdirSync, readFileSync } from 'node:fs'
import { CaptureReader, Streams } from '@tapdeck/wire'
import { type BuiltPacket, ETHERNET, feed, Recorder, type StreamEvent } from '@tapdeck/wire/testing'

/** Named traffic to test a protocol with. */
export interface Fixture {
  readonly name: string
  /** Its golden JSON file. */
  readonly golden: URL
  readonly events: readonly StreamEvent[]
}

/** Traffic built by a test, packet by packet. */
export function builtFixture(name: string, folder: URL, packets: Iterable<BuiltPacket>): Fixture {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  feed(streams, packets, ETHERNET)
  streams.end()
  return { name, golden: new URL(`${name}.golden.json`, folder), events: recorder.events }
}

const fixturesByFolder = new Map<string, readonly Fixture[]>()

/** All captures in a folder. Each folder is read once, as every protocol is checked against the captures of all others. */
export function captureFixtures(folder: URL): readonly Fixture[] {
  let fixtures = fixturesByFolder.get(folder.href)
  if (fixtures === undefined) {
    fixtures = listCaptures(folder).map((name) => captureFixture(new URL(name, folder)))
    fixturesByFolder.set(folder.href, fixtures)
  }
  return fixtures
}

function listCaptures(folder: URL): string[] {
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
