import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  be16,
  be32,
  bytes,
  concat,
  FLAG,
  follow,
  frame,
  type Ipv4Options,
  ipv4,
  ipv6,
  tcpSegment,
  timed,
  udpDatagram,
} from '../testing/index.ts'

const V4 = ['10.0.0.1', '10.0.0.2'] as const
const V6 = ['2001:db8::1', '2001:db8::2'] as const
const FIELDS = { src: '', dst: '', sport: 5000, dport: 53 }

const text = (size: number) =>
  Array.from({ length: size }, (_, index) => String.fromCharCode(97 + (index % 26))).join('')

/** The datagram in fragments of `size` bytes. */
function fragments4(datagram: Uint8Array, size: number, options: Ipv4Options = {}): Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at < datagram.length; at += size)
    frames.push(
      frame(
        ipv4(...V4, 17, datagram.subarray(at, at + size), {
          id: 7,
          offset: at,
          more: at + size < datagram.length,
          ...options,
        }),
      ),
    )
  return frames
}

function fragments6(datagram: Uint8Array, size: number): Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at < datagram.length; at += size) {
    const more = at + size < datagram.length ? 1 : 0
    const header = concat(Uint8Array.of(17, 0), be16(at | more), be32(99))
    frames.push(frame(ipv6(...V6, 44, concat(header, datagram.subarray(at, at + size)))))
  }
  return frames
}

function datagrams(frames: readonly Uint8Array[], options = {}) {
  const { recorder, streams } = follow(timed(frames), options)
  const heard = recorder.events.flatMap((event) => (event.kind === 'datagram' ? [event] : []))
  return {
    heard: heard.map((event) => new TextDecoder().decode(event.bytes)),
    events: heard,
    loss: streams.loss,
    streams,
  }
}

describe('IPv4', () => {
  test('steps over options', () => {
    const packet = ipv4(...V4, 17, concat(new Uint8Array(8), udpDatagram({ ...FIELDS, payload: 'x' })))
    packet[0] = 0x47
    expect(datagrams([frame(packet)]).heard).toEqual(['x'])
  })

  test('takes the length of an offloaded giant from the frame', () => {
    const payload = 'x'.repeat(70_000)
    const segment = tcpSegment({ ...FIELDS, seq: 1, flags: FLAG.ack, payload })
    const { recorder } = follow(timed([frame(ipv4(...V4, 6, segment, { totalLength: 0 }))]))
    expect(recorder.text(0)).toBe(payload)
  })

  test('steps over an authentication header', () => {
    const header = concat(Uint8Array.of(17, 4, 0, 0), new Uint8Array(20))
    const packet = ipv4(...V4, 51, concat(header, udpDatagram({ ...FIELDS, payload: 'x' })))
    expect(datagrams([frame(packet)]).heard).toEqual(['x'])
  })

  test('counts a datagram that claims more than its frame has', () => {
    const packet = ipv4(...V4, 17, udpDatagram({ ...FIELDS, payload: 'abc' }), { totalLength: 100 })
    packet.set(be16(80), 24)
    const { events, loss } = datagrams([frame(packet).slice(0, 14 + packet.length)])
    expect(events[0]).toMatchObject({ bytes: bytes('abc'), length: 72 })
    expect(loss).toEqual({ cut_packets: 1 })
  })

  test.each([
    ['version', 0, 0x55],
    ['header length', 0, 0x42],
    ['total length', 3, 19],
  ])('counts a wrong %s', (_name, at, value) => {
    const packet = ipv4(...V4, 17, udpDatagram(FIELDS))
    packet[at] = value
    expect(datagrams([frame(packet).fill(0x08, 12, 13).fill(0, 13, 14)]).loss).toEqual({
      malformed_packets: 1,
    })
  })
})

describe('IPv6', () => {
  const options = (next: number, size = 8) =>
    concat(Uint8Array.of(next, size / 8 - 1), new Uint8Array(size - 2))

  test('steps over extension headers', () => {
    const authentication = concat(Uint8Array.of(17, 1), new Uint8Array(10))
    const payload = concat(
      options(43),
      options(60, 24),
      options(51),
      authentication,
      udpDatagram({ ...FIELDS, payload: 'x' }),
    )
    expect(datagrams([frame(ipv6(...V6, 0, payload))]).heard).toEqual(['x'])
  })

  test('takes a fragment that is all by itself for whole', () => {
    const header = concat(Uint8Array.of(17, 0), be16(0), be32(5))
    const packet = ipv6(...V6, 44, concat(header, udpDatagram({ ...FIELDS, payload: 'x' })))
    expect(datagrams([frame(packet)]).heard).toEqual(['x'])
  })

  test('takes the length of a jumbogram from the frame', () => {
    const packet = ipv6(...V6, 17, udpDatagram({ ...FIELDS, payload: 'jumbo' }))
    packet.set(be16(0), 4)
    expect(datagrams([frame(packet)]).heard).toEqual(['jumbo'])
  })

  test('gives up endless extension headers', () => {
    const payload = concat(...Array.from({ length: 5000 }, () => options(0)))
    expect(datagrams([frame(ipv6(...V6, 0, payload))]).loss).toEqual({ malformed_packets: 1 })
    const atoms = concat(
      ...Array.from({ length: 5000 }, () => concat(Uint8Array.of(44, 0), be16(0), be32(5))),
    )
    expect(datagrams([frame(ipv6(...V6, 44, atoms))]).loss).toEqual({ malformed_packets: 1 })
  })
})

describe.each([
  ['IPv4', fragments4],
  ['IPv6', fragments6],
] as const)('fragments of %s', (family, fragments) => {
  const whole = udpDatagram({ ...FIELDS, payload: text(500) })

  test('become whole in any order, whatever is repeated', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.infiniteStream(fc.nat(1000)),
        fc.integer({ min: 0, max: 5 }),
        (eighths, keys, repeats) => {
          const frames = fragments(whole, eighths * 8)
          const repeated = [...frames.slice(0, repeats), ...frames]
            .map((data) => ({ data, key: keys.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ data }) => data)
          const { heard, streams } = datagrams(repeated)
          expect(heard[0]).toBe(text(500))
          expect(streams.bufferedBytes).toBe(0)
        },
      ),
    )
  })

  test('do not become whole while one is missing, which is counted', () => {
    const frames = fragments(whole, 104)
    const { heard, loss, streams } = datagrams(frames.toSpliced(2, 1))
    expect(heard).toEqual([])
    expect(loss).toEqual({ fragments_expired: frames.length - 1 })
    expect(streams.bufferedBytes).toBe(0)
  })

  test('are forgotten after half a minute', () => {
    const [first, ...rest] = fragments(whole, 256)
    const packets = [...timed([first]), ...timed(rest, 0, 1_700_000_000_000_000 + 31_000_000)]
    const { recorder, streams } = follow(packets)
    expect(recorder.flows).toEqual([])
    expect(streams.loss).toEqual({ fragments_expired: rest.length + 1 })
  })

  test('that the capture cut give a datagram that is cut', () => {
    const packets = timed(fragments(whole, 256)).map(({ data, time }) => ({
      data: data.slice(0, 14 + 60),
      time,
      length: data.length,
    }))
    const { recorder } = follow(packets)
    const [event] = recorder.events.filter(({ kind }) => kind === 'datagram')
    expect(event).toMatchObject({ length: 500 })
    expect(event.kind === 'datagram' && event.bytes.length).toBeLessThan(60)
  })

  test.each([
    ['bytes', { fragments: 3000 }, 7],
    ['datagrams', { fragmentedDatagrams: 4 }, 4],
  ])('stay under the ceiling for %s', (_limit, limits, most) => {
    const frames = Array.from({ length: 50 }, (_, id) => {
      const [first] = fragments(whole, 256)
      // Identification of IPv4, or the last byte of that of IPv6.
      first[family === 'IPv4' ? 19 : 14 + 40 + 7] = id
      return first
    })
    const { recorder, streams } = follow(timed(frames), { limits })
    expect(recorder.flows).toEqual([])
    expect(streams.bufferedBytes).toBe(0)
    const { reassembly_overflow = 0, fragments_expired = 0 } = streams.loss
    expect(reassembly_overflow + fragments_expired).toBe(50)
    expect(fragments_expired).toBeGreaterThan(0)
    expect(fragments_expired).toBeLessThanOrEqual(most)
  })
})

test('fragments of IPv6 may have extension headers inside', () => {
  const inside = concat(
    Uint8Array.of(17, 0),
    new Uint8Array(6),
    udpDatagram({ ...FIELDS, payload: 'x'.repeat(20) }),
  )
  const frames = [0, 24].map((at) => {
    const header = concat(Uint8Array.of(60, 0), be16(at | (at === 0 ? 1 : 0)), be32(99))
    return frame(ipv6(...V6, 44, concat(header, at === 0 ? inside.subarray(0, 24) : inside.subarray(24))))
  })
  expect(datagrams(frames).heard).toEqual(['x'.repeat(20)])
})

test('fragments that reach beyond any datagram are malformed', () => {
  const packet = frame(ipv4(...V4, 17, new Uint8Array(64), { offset: 65_528, more: true }))
  expect(datagrams([packet]).loss).toEqual({ malformed_packets: 1 })
})
