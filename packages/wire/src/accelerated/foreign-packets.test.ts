import { describe, expect, test } from 'vitest'
import { Streams } from '../streams.ts'
import { block, enhanced, numbers } from '../testing/capture-builder.ts'
import { formats, MICROSECONDS, pcap, pcapng } from '../testing/capture-forms.ts'
import {
  type BuiltPacket,
  be16,
  Conversation,
  concat,
  ethernet,
  frame,
  ip,
  ipv4,
  Recorder,
  tcpFrame,
  tcpSegment,
  udpDatagram,
  udpFrame,
} from '../testing/index.ts'
import { dice, traffic } from '../testing/random-traffic.ts'
import { replayLog } from '../testing/replay-log.ts'
import { trials } from '../testing/trials.ts'

const COUNT = 3
const SEEDS = trials(6, 2)
const PLACES = trials(15, 3)
const shards = Array.from({ length: COUNT }, (_, index) => ({ index, count: COUNT }))

function ends(number: number) {
  return {
    ...{ src: '10.0.0.1', dst: '10.0.0.2', sport: 1000 + number, dport: 80 },
    ...{ seq: 1, ack: 1, payload: 'y'.repeat(40) },
  }
}

/** The body of a packet block, in the year of the others. */
const TIME = 1_700_000_000_100_000
const packet = tcpFrame(ends(8))
const packetBody = enhanced(
  true,
  0,
  Math.floor(TIME / 2 ** 32),
  TIME % 2 ** 32,
  packet,
  packet.length,
).subarray(8, -4)

/** Datagrams of all kinds: plain ones, lookups, tunnels, fragments, cut, malformed, of other networks. */
function datagrams(seed: number, like: readonly BuiltPacket[]): BuiltPacket[] {
  const roll = dice(seed + 1000)
  const make = (): Uint8Array => {
    const ends = { src: `10.0.0.${roll(6)}`, dst: `10.9.0.${roll(6)}`, sport: 40_000 + roll(9) }
    const dport = [9, 53, 5353, 4789, 8472, 6081, 123][roll(7)]
    const payload = 'x'.repeat(roll(90))
    const inner = ip('10.5.0.1', `10.5.0.${roll(9)}`, 17, udpDatagram({ ...ends, dport: 99, payload }))
    switch (roll(10)) {
      case 0: {
        const vxlan = concat(Uint8Array.of(8, 0, 0, 0, 0, 0, 5, 0), ethernet(0x0800, inner))
        return udpFrame({ ...ends, dport: dport === 4789 ? 4789 : 8472, payload: vxlan })
      }
      case 1: {
        const geneve = concat(Uint8Array.of(0, 0), be16(0x0800), Uint8Array.of(0, 0, 7, 0), inner)
        return udpFrame({ ...ends, dport: 6081, payload: geneve })
      }
      case 2: {
        const whole = udpDatagram({ ...ends, dport, payload: 'fragments'.repeat(9) })
        const id = roll(3)
        return roll(2) === 0
          ? frame(ipv4(ends.src, ends.dst, 17, whole.subarray(0, 40), { id, more: true }))
          : frame(ipv4(ends.src, ends.dst, 17, whole.subarray(40), { id, offset: 40 }))
      }
      case 3:
        return udpFrame({ ...ends, src: `fe80::${1 + roll(5)}`, dst: 'fe80::99', dport, payload })
      case 4:
        return frame(ip(ends.src, ends.dst, 17, udpDatagram({ ...ends, dport, payload })), [7])
      case 5:
        return udpFrame({ ...ends, dport, payload }).subarray(0, 30 + roll(20))
      case 6: {
        const datagram = udpDatagram({ ...ends, dport, payload })
        return frame(ipv4(ends.src, ends.dst, 17, datagram, { totalLength: 20 + roll(12) }))
      }
      case 7:
        return frame(ip(ends.src, ends.dst, [1, 47, 132, 99][roll(4)], new Uint8Array(roll(40)).fill(8)))
      default:
        return udpFrame({ ...ends, dport, payload })
    }
  }
  return like.flatMap((packet) => {
    if (roll(2) === 0) return [packet]
    const data = make()
    // Of some only padding is missing.
    const length = roll(8) === 0 ? data.length + 9 : data.length
    return [packet, { data, time: packet.time + roll(3), length }]
  })
}

/** Each shard reports the same with and without dropping foreign packets. Returns how many were dropped. */
function compare(file: Uint8Array, chunk: number, hasLookups = false): number {
  let dropped = 0
  for (const shard of shards) {
    const tell = (mode: 'whole' | 'filtered' | 'read-buffer') => {
      const lookups = new Recorder()
      const options = { shard, ...(hasLookups && { lookups: new Streams(lookups) }) }
      const all = replayLog(file, chunk, mode, options)
      const heard = lookups.events.map(({ flow, ...event }) => JSON.stringify([flow.id, event]))
      return { ...all, log: [...all.log, ...heard].join('\n') }
    }
    const whole = tell('whole')
    for (const mode of ['filtered', 'read-buffer'] as const) {
      const filtered = tell(mode)
      expect(filtered.counts).toEqual(whole.counts)
      expect(filtered.log).toBe(whole.log)
      dropped += filtered.dropped
    }
  }
  return dropped
}

describe('a shard reports the same with and without dropping foreign packets', () => {
  test.each(formats)('of a %s', (name, format) => {
    let dropped = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const file = format(datagrams(seed, traffic(seed, 400)))
      for (const chunk of [100_000, 10_007, 977]) dropped += compare(file, chunk)
    }
    if (/other byte order|milli/.test(name)) expect(dropped).toBe(0)
    else expect(dropped).toBeGreaterThan(170 * SEEDS)
  })

  test('DNS packets are kept where lookups are followed', () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const file = pcap(MICROSECONDS, true)(datagrams(seed, traffic(seed, 400)))
      const all = compare(file, 20_000)
      const some = compare(file, 20_000, true)
      expect(some).toBeLessThan(all)
      expect(some).toBeGreaterThan(0)
    }
  })

  test.each([
    ['seconds', 0, [255, 255, 255, 255]],
    ['length', 8, [255, 255, 255, 255]],
    ['length that leads back to its begin', 8, [240, 255, 255, 255]],
    ['record', 0, new Uint8Array(100).fill(255)],
  ])('before and behind a damaged %s', (_name, from, damage) => {
    for (let place = 150; place < 150 + PLACES; place++) {
      const packets = datagrams(1, traffic(1, 400))
      const at = pcap(MICROSECONDS, true)(packets.slice(0, place)).length + from
      const file = pcap(MICROSECONDS, true)(packets)
      file.set(damage, at)
      expect(compare(file, 3001)).toBeGreaterThan(100)
    }
  })

  test.each([
    ['a packet without a time', 3, concat(numbers(true, [4, 60]), tcpFrame(ends(9)).subarray(0, 60))],
    ['a packet of the old kind', 2, packetBody],
    ['a block of an unknown type', 77, packetBody],
    ['statistics', 5, new Uint8Array(12)],
    ['one more interface', 1, new Uint8Array(8).fill(1)],
  ])('around %s', (_name, type, body) => {
    const packets = datagrams(2, traffic(2, 400))
    const whole = pcapng(6)(packets)
    for (let place = 100; place < 100 + PLACES; place++) {
      const { length } = pcapng(6)(packets.slice(0, place))
      const file = concat(whole.subarray(0, length), block(true, type, body), whole.subarray(length))
      expect(compare(file, 3001)).toBeGreaterThan(50)
    }
  })

  test('where a block has another length behind it', () => {
    const packets = datagrams(3, traffic(3, 400))
    for (let place = 100; place < 100 + PLACES; place++) {
      const file = pcapng(6)(packets)
      file[pcapng(6)(packets.slice(0, place)).length - 4] ^= 4
      expect(compare(file, 3001)).toBeGreaterThan(50)
    }
  })

  test('with records that are longer than the carry area', () => {
    const talk = new Conversation({ segmentSize: 65_000 }).handshake()
    for (let turn = 0; turn < 12; turn++) talk.send(1, 'x'.repeat(65_000)).send(0, 'thanks')
    const long = frame(concat(ipv4('10.0.0.1', '10.0.0.2', 6, tcpSegment(ends(1))), new Uint8Array(140_000)))
    const packets = [...talk.packets, { data: long, time: talk.packets.at(-1)!.time }, ...talk.packets]
    for (const chunk of [200_000, 70_001])
      expect(compare(pcap(MICROSECONDS, true)(packets), chunk)).toBeGreaterThan(0)
  })
})
