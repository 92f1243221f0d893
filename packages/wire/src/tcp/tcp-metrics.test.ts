import { describe, expect, test } from 'vitest'
import { Conversation, FLAG, follow, type TcpFields, tcpFrame } from '../testing/index.ts'

const TO_SERVER = { src: '10.0.0.1', dst: '10.0.0.2', sport: 40000, dport: 80 }
const TO_CLIENT = { src: '10.0.0.2', dst: '10.0.0.1', sport: 80, dport: 40000 }
const START = 1_700_000_000_000_000

type Step = readonly [time: number, side: 0 | 1, fields: Partial<TcpFields>]

/** Runs segments given as [µs since the start, side, fields] and returns what was measured. */
function measure(...steps: readonly Step[]) {
  const { recorder } = follow(
    steps.map(([time, side, fields]) => ({
      data: tcpFrame({ ...(side === 0 ? TO_SERVER : TO_CLIENT), ...fields }),
      time: START + time,
    })),
  )
  expect(recorder.flows.length).toBe(1)
  return recorder.flows[0].tcp!
}

const SCALE_8 = Uint8Array.of(3, 3, 8)
const HANDSHAKE: readonly Step[] = [
  [0, 0, { seq: 100, flags: FLAG.syn, options: SCALE_8 }],
  [700, 1, { seq: 500, ack: 101, flags: FLAG.syn | FLAG.ack, options: SCALE_8 }],
  [1000, 0, { seq: 101, ack: 501, window: 100 }],
]
const ten = 'x'.repeat(10)

describe('times', () => {
  test('of the handshake, from SYN to the acknowledgement of the SYN-ACK', () => {
    expect(measure(...HANDSHAKE)).toMatchObject({
      handshake_us: 1000,
      initial_rtt_us: 1000,
      rtt_samples: 2,
      rtt_min_us: 300,
      rtt_max_us: 700,
      rtt_avg_us: 500,
      completeness: 7,
    })
  })

  test('of a handshake whose SYN was repeated: all of it for the user, the last try for the network', () => {
    const [syn, synAck, ack] = HANDSHAKE
    const metrics = measure([-3_000_000, 0, syn[2]], ...[syn, synAck, ack])
    expect(metrics).toMatchObject({ handshake_us: 3_001_000, initial_rtt_us: 1000, retransmissions: 1 })
    expect(metrics.rtt_samples).toBe(1)
  })

  test('are none for a connection met in the middle', () => {
    const metrics = measure([0, 0, { seq: 1, ack: 1, payload: ten }], [50, 1, { seq: 1, ack: 11 }])
    expect(metrics.handshake_us).toBeUndefined()
    expect(metrics.initial_rtt_us).toBeUndefined()
    expect(metrics).toMatchObject({ rtt_samples: 1, rtt_avg_us: 50, completeness: 12 })
  })

  test('of the first byte of the answer', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 0, { seq: 101, ack: 501, payload: ten }],
      [2500, 1, { seq: 501, ack: 111 }],
      [9000, 1, { seq: 501, ack: 111, payload: ten }],
      [9100, 1, { seq: 511, ack: 111, payload: ten }],
    )
    expect(metrics.time_to_first_byte_us).toBe(7000)
  })

  test('of a server that greets first count from the first request', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 1, { seq: 501, ack: 101, payload: ten }],
      [3000, 0, { seq: 101, ack: 511, payload: ten }],
      [3400, 1, { seq: 511, ack: 111, payload: ten }],
    )
    expect(metrics.time_to_first_byte_us).toBe(400)
  })

  test('of round trips smooth their differences into jitter', () => {
    const steps: Step[] = []
    for (let round = 0; round < 8; round++) {
      steps.push([round * 10_000, 0, { seq: 1 + round * 10, ack: 1, payload: ten }])
      steps.push([round * 10_000 + (round % 2 === 0 ? 100 : 260), 1, { seq: 1, ack: 11 + round * 10 }])
    }
    const metrics = measure(...steps)
    // Seven differences of 160: 160 * (1 - (15/16) ** 7).
    expect(metrics).toMatchObject({
      rtt_samples: 8,
      rtt_min_us: 100,
      rtt_max_us: 260,
      rtt_avg_us: 180,
      jitter_us: 58,
    })
  })

  test('are not taken from what was sent twice', () => {
    const metrics = measure(
      [0, 0, { seq: 1, ack: 1, payload: ten }],
      [300_000, 0, { seq: 1, ack: 1, payload: ten }],
      [300_050, 1, { seq: 1, ack: 11 }],
    )
    expect(metrics).toMatchObject({ rtt_samples: 0, retransmissions: 1 })
  })

  test('are taken from the last of many segments that are acknowledged together', () => {
    const sent = [0, 1, 2].map((n): Step => [n * 10, 0, { seq: 1 + n * 10, ack: 1, payload: ten }])
    expect(measure(...sent, [100, 1, { seq: 1, ack: 31 }])).toMatchObject({ rtt_samples: 1, rtt_avg_us: 80 })
    expect(measure(...sent, [100, 1, { seq: 1, ack: 29 }])).toMatchObject({ rtt_samples: 0 })
  })

  test('are taken from each of many segments that are acknowledged one by one', () => {
    const sent = [0, 1, 2].map((n): Step => [n * 10, 0, { seq: 1 + n * 10, ack: 1, payload: ten }])
    const acked = [0, 1, 2].map((n): Step => [100 + n * 20, 1, { seq: 1, ack: 11 + n * 10 }])
    expect(measure(...sent, ...acked)).toMatchObject({ rtt_samples: 3, rtt_min_us: 100, rtt_max_us: 120 })
  })
})

describe('counts', () => {
  test('a fast retransmission after duplicate acknowledgements', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 0, { seq: 101, ack: 501, payload: ten, window: 100 }],
      [2010, 0, { seq: 121, ack: 501, payload: ten, window: 100 }],
      [2500, 1, { seq: 501, ack: 111, window: 100 }],
      [2510, 1, { seq: 501, ack: 111, window: 100 }],
      [22_520, 1, { seq: 501, ack: 111, window: 100 }],
      [23_000, 0, { seq: 111, ack: 501, payload: ten, window: 100 }],
    )
    expect(metrics).toMatchObject({
      duplicate_acks: 2,
      fast_retransmissions: 1,
      retransmissions: 1,
      out_of_order: 0,
    })
  })

  test('a segment that was overtaken within a round trip as out of order, not as sent again', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 0, { seq: 111, ack: 501, payload: ten }],
      [2100, 0, { seq: 101, ack: 501, payload: 'y'.repeat(9) }],
    )
    expect(metrics).toMatchObject({ out_of_order: 1, retransmissions: 0 })
  })

  test('a segment long after the next one as sent again', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 0, { seq: 111, ack: 501, payload: ten }],
      [202_000, 0, { seq: 101, ack: 501, payload: 'y'.repeat(9) }],
    )
    expect(metrics).toMatchObject({ out_of_order: 0, retransmissions: 1 })
  })

  test('keep-alives, and neither them nor their answers as duplicates', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 1, { seq: 501, ack: 101, window: 100 }],
      [1_000_000, 0, { seq: 100, ack: 501, window: 100 }],
      [1_000_100, 1, { seq: 501, ack: 101, window: 100 }],
      [2_000_000, 0, { seq: 100, ack: 501, window: 100, payload: '\0' }],
      [2_000_100, 1, { seq: 501, ack: 101, window: 100 }],
    )
    expect(metrics).toMatchObject({ keep_alive: 2, duplicate_acks: 0, retransmissions: 0 })
  })

  test('a window update as no duplicate', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 1, { seq: 501, ack: 101, window: 100 }],
      [2100, 1, { seq: 501, ack: 101, window: 200 }],
    )
    expect(metrics.duplicate_acks).toBe(0)
  })

  test('windows that are closed, and segments that fill them, as scaled', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [2000, 1, { seq: 501, ack: 101, window: 1 }],
      [2100, 0, { seq: 101, ack: 501, payload: 'x'.repeat(200), window: 100 }],
      [2200, 0, { seq: 301, ack: 501, payload: 'x'.repeat(56), window: 100 }],
      [2300, 1, { seq: 501, ack: 357, window: 0 }],
      [2400, 1, { seq: 501, ack: 357, flags: FLAG.rst, window: 0 }],
    )
    expect(metrics).toMatchObject({ window_full: 1, zero_window: 1, resets: 1 })
  })

  test('which end closed its window, and when it did so first', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [5000, 1, { seq: 501, ack: 101, window: 0 }],
      [9000, 1, { seq: 501, ack: 101, window: 0 }],
    )
    expect(metrics).toMatchObject({ zero_window: 2, server_zero_window_us: 5000 })
    expect(metrics.client_zero_window_us).toBeUndefined()
    const client = measure(...HANDSHAKE, [7000, 0, { seq: 101, ack: 501, window: 0 }])
    expect(client).toMatchObject({ zero_window: 1, client_zero_window_us: 7000 })
    expect(client.server_zero_window_us).toBeUndefined()
  })

  test('which end sent a FIN or a RST, and when it did so first', () => {
    const metrics = measure(
      ...HANDSHAKE,
      [5000, 1, { seq: 501, ack: 101, flags: FLAG.fin | FLAG.ack }],
      [6000, 0, { seq: 101, ack: 502, payload: ten }],
      [7000, 1, { seq: 502, flags: FLAG.rst }],
      [8000, 1, { seq: 502, flags: FLAG.rst }],
    )
    expect(metrics).toMatchObject({ server_fin_us: 5000, server_reset_us: 7000, fins: 1, resets: 2 })
    expect(metrics.client_fin_us).toBeUndefined()
    expect(metrics.client_reset_us).toBeUndefined()
  })

  test('no full windows where the scale is unknown', () => {
    const metrics = measure(
      [0, 1, { seq: 501, ack: 101, window: 10 }],
      [10, 0, { seq: 101, ack: 501, payload: ten }],
    )
    expect(metrics.window_full).toBe(0)
  })

  test('what was seen of the connection as the bits of Wireshark', () => {
    const all = new Conversation().handshake().send(0, 'a').close()
    expect(follow(all.packets).recorder.flows[0].tcp?.completeness).toBe(31)
    expect(follow(all.packets.slice(3)).recorder.flows[0].tcp?.completeness).toBe(28)
    expect(follow(all.packets.slice(0, 1)).recorder.flows[0].tcp?.completeness).toBe(1)
    const reset = new Conversation().handshake().segment(0, FLAG.rst)
    expect(follow(reset.packets).recorder.flows[0].tcp?.completeness).toBe(39)
  })

  test('packets and bytes of each side', () => {
    const conversation = new Conversation().handshake().send(0, 'x'.repeat(100)).close()
    const { recorder } = follow(conversation.packets)
    const [flow] = recorder.flows
    const lengths = conversation.packets.map(({ data }) => data.length)
    expect(flow.directions[0].packets + flow.directions[1].packets).toBe(lengths.length)
    expect(flow.directions[0].bytes + flow.directions[1].bytes).toBe(
      lengths.reduce((sum, size) => sum + size),
    )
    expect(flow.directions[0].goodput).toBe(100)
    expect([flow.start, flow.last]).toEqual([conversation.packets[0].time, conversation.packets.at(-1)?.time])
  })
})
