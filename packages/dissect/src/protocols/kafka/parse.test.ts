import { type BuiltPacket, Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'
import { compact, framed, int16, int32, int64, join, request, response, text } from './message-builder.ts'

type Turn = readonly [side: 0 | 1, bytes: Uint8Array]

function shown(turns: readonly Turn[], fromTheStart = true) {
  const talk = new Conversation({ serverPort: 4711 })
  if (fromTheStart) talk.handshake()
  for (const [side, bytes] of turns) talk.send(side, bytes)
  const { calls, faults } = observe(
    builtFixture('built', new URL(import.meta.url), talk.close().packets).events,
  )
  expect(faults).toEqual([])
  return calls
}
const lines = (turns: readonly Turn[]) =>
  shown(turns).map(({ proto, method, path, status, error }) =>
    [proto, method, path, status, error].filter((part) => part !== undefined).join(' '),
  )

/** A batch of version 2 with nothing in it but its count. */
const batch = (count: number) => join(int64(0), int32(49), int32(0), 2, new Uint8Array(40), int32(count))
const ID = Uint8Array.from({ length: 16 }, (_, i) => i)
const NAME = Buffer.from(ID).toString('base64url')

const heartbeat = (id: number) => request(12, 0, id, text('billing'), int32(1), text('me'))

/** Version 9: a compact name, one partition, tagged fields after each structure. */
const produce9 = (id: number, acks: number, records: Uint8Array) =>
  request(
    0,
    9,
    id,
    0,
    0,
    int16(acks),
    int32(1000),
    2,
    compact('orders'),
    2,
    int32(0),
    records.length + 1,
    records,
    0,
    0,
    0,
  )
const produced9 = (id: number, error: number) =>
  response(
    id,
    0,
    2,
    compact('orders'),
    2,
    int32(0),
    int16(error),
    int64(5),
    int64(0),
    int64(0),
    1,
    0,
    0,
    0,
    int32(0),
    0,
  )

/** Version 13 and later: no names, but ids. */
const fetch13 = (id: number) =>
  request(
    1,
    13,
    id,
    0,
    int32(-1),
    int32(500),
    int32(1),
    int32(1000),
    0,
    int32(0),
    int32(-1),
    2,
    ID,
    2,
    int32(0),
    int32(-1),
    int64(7),
    int32(-1),
    int64(0),
    int32(1000),
    0,
    0,
    1,
    1,
    0,
  )
const fetched13 = (id: number, error: number, records: Uint8Array) =>
  response(
    id,
    0,
    int32(0),
    int16(0),
    int32(0),
    2,
    ID,
    2,
    int32(0),
    int16(error),
    int64(9),
    int64(9),
    int64(0),
    1,
    int32(-1),
    records.length + 1,
    records,
    0,
    0,
    0,
  )

describe('requests and responses', () => {
  it('meet by correlation id, whatever their order', () => {
    expect(
      lines([
        [0, join(heartbeat(1), heartbeat(2))],
        [1, join(response(2, int16(27)), response(1, int16(0)))],
      ]),
    ).toEqual(['kafka Heartbeat 27 REBALANCE_IN_PROGRESS', 'kafka Heartbeat 0'])
  })

  it('are read in flexible versions', () => {
    const calls = shown([
      [0, produce9(1, -1, batch(3))],
      [1, produced9(1, 6)],
    ])
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({
      method: 'Produce',
      path: 'orders',
      status: 6,
      error: 'NOT_LEADER_OR_FOLLOWER',
      kafka: { acks: -1, records: 3, client_id: 'shop', api_version: 9 },
    })
  })

  it('name topics by their id where they have no names', () => {
    const [ok, failed] = shown([
      [0, fetch13(1)],
      [1, fetched13(1, 0, batch(2))],
      [0, fetch13(2)],
      [1, fetched13(2, 100, batch(0))],
    ])
    expect(ok).toMatchObject({ method: 'Fetch', path: NAME, status: 0, kafka: { records: 2 } })
    expect(failed).toMatchObject({ status: 100, error: 'UNKNOWN_TOPIC_ID' })
  })

  it('are not expected where no acknowledgement is wanted', () => {
    expect(
      lines([
        [0, join(produce9(1, 0, batch(1)), heartbeat(2))],
        [1, response(2, int16(0))],
      ]),
    ).toEqual(['kafka Produce orders', 'kafka Heartbeat 0'])
  })

  it('are read from the first request on where the beginning was not seen', () => {
    const calls = shown(
      [
        [1, response(1, int16(0))],
        [0, heartbeat(2)],
        [1, response(2, int16(25))],
      ],
      false,
    )
    expect(calls.at(-1)).toMatchObject({
      method: 'Heartbeat',
      error: 'UNKNOWN_MEMBER_ID',
      dst: { port: 4711 },
    })
  })

  it('of ApiVersions have the old header in new versions', () => {
    expect(
      lines([
        [0, request(18, 3, 1, 0, compact('rdkafka'), compact('2'), 0)],
        [1, response(1, int16(0), 2, int16(0), int16(0), int16(9), 0, int32(0), 0)],
        [0, request(18, 3, 2, 0, compact('rdkafka'), compact('2'), 0)],
        [1, response(2, int16(35), int32(0))],
      ]),
    ).toEqual(['kafka ApiVersions 0', 'kafka ApiVersions 35'])
  })
})

describe('secrets', () => {
  it('of SaslAuthenticate are not kept', () => {
    const calls = shown([
      [0, request(17, 1, 1, text('PLAIN'))],
      [1, response(1, int16(0), int32(1), text('PLAIN'))],
      [0, request(36, 0, 2, int32(16), '\0user\0letmein123')],
      [1, response(2, int16(58), text('bad credentials'), int32(0))],
    ])
    expect(calls[1]).toMatchObject({ method: 'SaslAuthenticate', error: 'SASL_AUTHENTICATION_FAILED' })
    expect(JSON.stringify(calls)).not.toContain('letmein')
    expect(JSON.stringify(calls)).not.toContain(Buffer.from('letmein').toString('base64').slice(0, 6))
  })

  it('without a header pass by, and requests are read again after them', () => {
    expect(
      lines([
        [0, request(17, 0, 1, text('PLAIN'))],
        [1, response(1, int16(0), int32(1), text('PLAIN'))],
        [0, framed('\0user\0letmein123')],
        [1, framed()],
        [0, heartbeat(2)],
        [1, response(2, int16(0))],
      ]),
    ).toEqual(['kafka SaslHandshake 0', 'kafka SaslToken', 'kafka Heartbeat 0'])
  })
})

describe('one side of a connection', () => {
  const PORT = 9092
  const talk = (port: number) => {
    const both = new Conversation({ serverPort: port })
    for (let id = 1; id < 4; id++) both.send(0, heartbeat(id)).send(1, response(id, int16(0)))
    return both.packets
  }
  const isFromServer = ({ data }: BuiltPacket, port: number) => ((data[34]! << 8) | data[35]!) === port
  const dissected = (packets: readonly BuiltPacket[]) => {
    const calls: Call[] = []
    const dissection = new Dissection({ emit: (call) => calls.push(call), fault: fail })
    feed(dissection, packets)
    dissection.end()
    return calls.map(({ protocol, missing, response }) => [protocol, missing, response?.fields?.correlation])
  }

  it('has requests without a response', () => {
    expect(dissected(talk(PORT).filter((packet) => !isFromServer(packet, PORT)))).toEqual(
      Array.from({ length: 3 }, () => ['kafka', 'unfinished', undefined]),
    )
  })

  it('has responses without a request, on a port of Kafka', () => {
    expect(dissected(talk(PORT).filter((packet) => isFromServer(packet, PORT)))).toEqual(
      [1, 2, 3].map((id) => ['kafka', 'midstream', id]),
    )
    expect(dissected(talk(4711).filter((packet) => isFromServer(packet, 4711)))).toEqual([
      ['tcp', undefined, undefined],
    ])
  })
})

function fail(error: unknown): never {
  throw error
}
