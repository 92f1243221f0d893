import { CaptureReader, chunkMemory, type Shard } from '@tapdeck/wire'
import { Conversation, concat, MICROSECONDS, pcap } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { ByteWriter } from './bytes/byte-writer.ts'
import { Dissection } from './dissection.ts'
import { unpackExchange, writeExchange } from './pack/exchange-codec.ts'

const START = 1_700_000_000_000_000

/** The heads of all requests, packed as the index does. */
function headsOf(chunks: readonly Uint8Array[], shard?: Shard): string[] {
  const writer = new ByteWriter()
  const heads: string[] = []
  const dissection = new Dissection({
    ...(shard !== undefined && { shard }),
    emit(call) {
      writer.cut(0)
      writeExchange(call, writer)
      const { request } = unpackExchange(call.protocol, writer.written())
      heads.push(Buffer.from(request?.head ?? '').toString('latin1'))
    },
  })
  const reader = new CaptureReader(dissection, {})
  for (const chunk of chunks) {
    const stage = shard && chunkMemory.borrowReadBuffer()
    stage?.set(chunk)
    reader.push(stage?.subarray(0, chunk.length) ?? chunk.slice(), true)
  }
  reader.end()
  dissection.end()
  return heads
}

test('calls emitted at the end keep their bytes after the chunk memory was reused', () => {
  const filler = 'f'.repeat(200)
  const packets = Array.from(
    { length: 400 },
    (_, at) =>
      new Conversation({ clientPort: 20_000 + at, start: START + at * 10 })
        .handshake()
        .send(0, `GET /path/${at} HTTP/1.1\r\nhost: shop\r\nx-filler: ${filler}\r\n\r\n`).packets,
  )
    .flat()
    .sort((one, other) => one.time - other.time)
  const file = pcap(MICROSECONDS, true)(packets)
  const long = pcap(MICROSECONDS, true)([{ data: new Uint8Array(1400).fill(90), time: START + 100_000 }])
  // After the complete records, one with a missing end.
  const chunks = [file.subarray(0, 100), file.subarray(100), concat(long.subarray(24, 1024))]
  expect(chunks[1]!.length).toBeGreaterThan(200_000)
  const shared = [0, 1].flatMap((index) => headsOf(chunks, { index, count: 2 }))
  expect(shared.sort()).toEqual(headsOf(chunks).sort())
  expect(shared[0]).toContain('GET /path/0 ')
})
