import { gzipSync } from 'node:zlib'
import { Conversation } from '@tapdeck/wire/testing'
import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { batch, CODEC, record } from './batch-builder.ts'
import { kafka } from './index.ts'
import { int16, int32, int64, join, request, response, text } from './message-builder.ts'

const captures = new URL('./captures/', import.meta.url)
const records = batch(
  2,
  gzipSync(join(record(0, 'order-17', 'paid'), record(1, 'order-18', 'sent'))),
  CODEC.gzip,
)
const keyed = builtFixture(
  'keyed',
  captures,
  new Conversation({ serverPort: 9092 })
    .handshake()
    .send(
      0,
      request(
        ...([0, 3, 1, int16(-1), int16(1), int32(1000)] as const),
        ...([int32(1), text('orders'), int32(1), int32(0), int32(records.length), records] as const),
      ),
    )
    .send(
      1,
      response(1, int32(1), text('orders'), int32(1), int32(0), int16(0), int64(40), int64(-1), int32(0)),
    )
    .close().packets,
)

describe('kafka conforms', () => {
  for (const { name, run } of conformance(kafka, { captures, fixtures: [keyed] })) it(name, run)
})
