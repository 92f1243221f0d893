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
  const told = new Recorder()
  const streams = new Streams(told)
  const reader = new CaptureReader(streams, streams.loss)
  for (let at = 0; at < content.length; at += chunk) reader.push(content.subarray(at, at + chunk))
  reader.end()
  streams.end()
  return { told, streams, reader }
}

describe.skipIf(files.length === 0)('captures of other projects', () => {
  test.each(files)('%s', (file) => {
    const content = readFileSync(join(FOLDER, file))
    const { told, streams, reader } = run(content, content.length)
    const { loss } = streams
    expect(reader.packets).toBe(streams.packets)
    expect([loss.malformed_packets, loss.damaged_blocks, loss.truncated_file]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(told.kinds().filter((kind) => kind === 'open').length).toBe(told.flows.length)
    expect(told.kinds().filter((kind) => kind === 'close').length).toBe(told.flows.length)
    for (const flow of told.flows) {
      const [one, other] = flow.halves
      expect(one.packets + other.packets).toBeGreaterThan(0)
      expect(flow.last).toBeGreaterThanOrEqual(flow.start)
    }
    const chunked = run(content, 777)
    expect(chunked.told.events.length).toBe(told.events.length)
    expect(chunked.told.flows.map((flow) => flow.id)).toEqual(told.flows.map((flow) => flow.id))
  })

  test('with known holes show them', () => {
    const { told } = run(readFileSync(join(FOLDER, 'gap_in_stream.pcap')), 4096)
    const gaps = told.events.flatMap((event) => (event.kind === 'gap' ? [event.missing] : []))
    expect(gaps).toEqual([49_152])
  })
})
