import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CaptureReader } from './capture-file/capture-reader.ts'
import { Streams } from './streams.ts'
import { Recorder } from './testing/index.ts'

const FOLDER = join(import.meta.dirname, '../../../../shared/captures/packetbeat')
const files = existsSync(FOLDER)
  ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.pcap'))
  : []

function run(content: Uint8Array, chunk: number) {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  const reader = new CaptureReader(streams, streams.loss)
  for (let at = 0; at < content.length; at += chunk) reader.push(content.subarray(at, at + chunk))
  reader.end()
  streams.end()
  return { recorder, streams, reader }
}

describe.skipIf(files.length === 0)('captures of other projects', () => {
  test.each(files)('%s', (file) => {
    const content = readFileSync(join(FOLDER, file))
    const { recorder, streams, reader } = run(content, content.length)
    const { loss } = streams
    expect(reader.packets).toBe(streams.packets)
    expect([loss.malformed_packets, loss.damaged_blocks, loss.truncated_file]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(recorder.kinds().filter((kind) => kind === 'open').length).toBe(recorder.flows.length)
    expect(recorder.kinds().filter((kind) => kind === 'close').length).toBe(recorder.flows.length)
    for (const flow of recorder.flows) {
      const [one, other] = flow.directions
      expect(one.packets + other.packets).toBeGreaterThan(0)
      expect(flow.last).toBeGreaterThanOrEqual(flow.start)
    }
    const chunked = run(content, 777)
    expect(chunked.recorder.events.length).toBe(recorder.events.length)
    expect(chunked.recorder.flows.map((flow) => flow.id)).toEqual(recorder.flows.map((flow) => flow.id))
  })

  test('with known holes show them', () => {
    const { recorder } = run(readFileSync(join(FOLDER, 'gap_in_stream.pcap')), 4096)
    const gaps = recorder.events.flatMap((event) => (event.kind === 'gap' ? [event.missing] : []))
    expect(gaps).toEqual([49_152])
  })
})
