import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  block,
  enhanced,
  iface,
  numbers,
  option,
  PACKET,
  readCapture,
  section,
  text,
} from '../testing/capture-builder.ts'
import { concat } from '../testing/packet-builder.ts'
import { eachOption } from './pcapng-options.ts'

describe.each([true, false])('a pcapng file, little-endian %s', (little) => {
  const time = 1_700_000_000_123_456
  const high = Math.floor(time / 2 ** 32)
  const low = time % 2 ** 32

  test('with microseconds unless it says otherwise', () => {
    const file = concat(section(little), iface(little), enhanced(little, 0, high, low, PACKET, 99))
    const { seen, reader } = readCapture(file)
    expect(seen).toEqual([{ bytes: '1,2,3,4,5', length: 99, time, link: 1 }])
    expect(reader.format).toBe('pcapng')
  })

  test.each([
    ['nanoseconds', 9, 1_700_000_000_123_456_500n, 1_700_000_000_123_456.5],
    ['milliseconds', 3, 1_700_000_000_123n, 1_700_000_000_123_000],
    ['seconds', 0, 1_700_000_000n, 1_700_000_000_000_000],
    ['1/1024 seconds', 0x8a, 1_700_000_000n * 1024n + 512n, 1_700_000_000_500_000],
  ])('with %s', (_name, resolution, units, expected) => {
    const file = concat(
      section(little),
      iface(little, option(little, 9, Uint8Array.of(resolution))),
      enhanced(little, 0, Number(units >> 32n), Number(units & 0xffffffffn), PACKET),
    )
    expect(readCapture(file).seen[0].time).toBe(expected)
  })

  test('with nanoseconds, to the exact microsecond', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 10n ** 18n, max: 4n * 10n ** 18n }), (units) => {
        const file = concat(
          section(little),
          iface(little, option(little, 9, Uint8Array.of(9))),
          enhanced(little, 0, Number(units >> 32n), Number(units & 0xffffffffn), PACKET),
        )
        expect(Math.floor(readCapture(file).seen[0].time)).toBe(Number(units / 1000n))
      }),
    )
  })

  test('adds the offset of an interface to its times', () => {
    const shifted = little ? numbers(true, [4, 1000], [4, 0]) : numbers(false, [4, 0], [4, 1000])
    const file = concat(
      section(little),
      iface(little, option(little, 14, shifted)),
      enhanced(little, 0, 0, 7, PACKET),
    )
    expect(readCapture(file).seen[0].time).toBe(1_000_000_007)
  })

  test('with simple and with obsolete packets', () => {
    const simple = block(little, 3, concat(numbers(little, [4, 5]), PACKET, new Uint8Array(3)))
    const obsolete = block(
      little,
      2,
      concat(
        numbers(little, [2, 0], [2, 0], [4, high], [4, low], [4, 5], [4, 60]),
        PACKET,
        new Uint8Array(3),
      ),
    )
    const { seen } = readCapture(concat(section(little), iface(little), obsolete, simple))
    expect(seen.map((packet) => [packet.bytes, packet.length, packet.time])).toEqual([
      ['1,2,3,4,5', 60, time],
      ['1,2,3,4,5', 5, time],
    ])
  })

  test('cuts simple packets at the snap length of the interface', () => {
    const limited = block(little, 1, numbers(little, [2, 1], [2, 0], [4, 3]))
    const simple = block(little, 3, concat(numbers(little, [4, 5]), PACKET.subarray(0, 3), new Uint8Array(1)))
    expect(readCapture(concat(section(little), limited, simple)).seen[0]).toMatchObject({
      bytes: '1,2,3',
      length: 5,
    })
  })

  test('counts each drop once, however often the statistics repeat it', () => {
    const count = (value: number) =>
      little ? numbers(true, [4, value], [4, 0]) : numbers(false, [4, 0], [4, value])
    const statistics = (dropped: number, system: number) =>
      block(
        little,
        5,
        concat(
          numbers(little, [4, 0], [4, 0], [4, 0]),
          option(little, 5, count(dropped)),
          option(little, 7, count(system)),
        ),
      )
    const blocks = [statistics(3, 1), statistics(10, 2), statistics(9, 2)]
    const { loss } = readCapture(concat(section(little), iface(little), ...blocks))
    expect(loss).toEqual({ kernel_drops: 12 })
  })

  test('keeps names, secrets, comments and interfaces', () => {
    const names = block(
      little,
      4,
      concat(
        option(little, 1, concat(Uint8Array.of(10, 0, 0, 1), text('a.svc\0b.svc\0'))),
        option(little, 2, concat(new Uint8Array(15), Uint8Array.of(1), text('localhost\0'))),
        numbers(little, [4, 0]),
      ),
    )
    const key = text('CLIENT_RANDOM 00 11')
    const secrets = block(
      little,
      10,
      concat(numbers(little, [4, 0x544c534b], [4, key.length]), key, new Uint8Array(-key.length & 3)),
    )
    const commented = block(
      little,
      6,
      concat(
        numbers(little, [4, 0], [4, 0], [4, 0], [4, 4], [4, 4]),
        Uint8Array.of(1, 2, 3, 4),
        option(little, 1, text('look here')),
        numbers(little, [4, 0]),
      ),
    )
    const { notes, loss } = readCapture(
      concat(
        section(little, option(little, 4, text('dumpcap')), option(little, 1, text('a capture'))),
        iface(little, option(little, 2, text('eth0'))),
        names,
        secrets,
        commented,
      ),
    )
    expect(notes.application).toBe('dumpcap')
    expect(notes.interfaces).toEqual([{ name: 'eth0', link: 1, snaplen: 0 }])
    expect([...notes.names]).toEqual([
      ['10.0.0.1', ['a.svc', 'b.svc']],
      ['::1', ['localhost']],
    ])
    expect(notes.secrets).toEqual([{ type: 0x544c534b, data: key }])
    expect(notes.comments).toEqual([{ text: 'a capture' }, { text: 'look here', packet: 1 }])
    expect(loss).toEqual({})
  })

  test('begins anew with each section, also in the other byte order', () => {
    const other = !little
    const file = concat(
      section(little),
      iface(little),
      iface(little),
      enhanced(little, 1, 0, 1, PACKET),
      section(other),
      iface(other),
      enhanced(other, 0, 0, 2, PACKET),
      enhanced(other, 1, 0, 3, PACKET),
    )
    const { seen, loss } = readCapture(file)
    expect(seen.map((packet) => packet.time)).toEqual([1, 2])
    expect(loss).toEqual({ damaged_blocks: 1 })
  })

  test('skips custom and journal blocks, and counts unknown ones', () => {
    const skipped = [0x0bad, 0x40000bad, 9, 0x80000001].map((type) => block(little, type, new Uint8Array(8)))
    const file = concat(
      section(little),
      ...skipped,
      block(little, 0x201, new Uint8Array(4)),
      iface(little),
      enhanced(little, 0, 0, 1, PACKET),
    )
    const { seen, loss } = readCapture(file)
    expect(seen.length).toBe(1)
    expect(loss).toEqual({ damaged_blocks: 1 })
  })

  test.each([
    ['a length that is no multiple of four', 33],
    ['a length of more than any block has', 0x7ffffff0],
    ['a length of more than any packet has', 30_000_000],
    ['a length that contradicts itself', 44],
    ['no length', 0],
  ])('goes on behind a block with %s', (_name, length) => {
    const damaged = enhanced(little, 0, 0, 2, PACKET)
    damaged.set(numbers(little, [4, length]), 4)
    const good = (low32: number) => enhanced(little, 0, 0, low32, PACKET)
    const { seen, loss } = readCapture(
      concat(section(little), iface(little), good(1), damaged, good(3), good(4)),
    )
    expect(seen.map((packet) => packet.time)).toEqual([1, 3, 4])
    expect(loss.damaged_blocks).toBe(1)
  })

  test('may have longer packets where an interface says so', () => {
    const long = block(little, 1, numbers(little, [2, 1], [2, 0], [4, 4_000_000]))
    const { seen, loss } = readCapture(
      concat(section(little), long, enhanced(little, 0, 0, 1, new Uint8Array(3_000_000))),
    )
    expect([seen.length, loss]).toEqual([1, {}])
  })
})

test('as many interfaces as there may be take no longer each than a few', () => {
  const one = iface(true)
  const many = concat(section(true), ...Array.from({ length: 65_536 }, () => one))
  const { seen, loss } = readCapture(concat(many, enhanced(true, 65_535, 0, 1, PACKET)))
  expect(seen.length).toBe(1)
  expect(loss).toEqual({})
})

test.each([
  ['section header', 0x0a0d0d0a],
  ['interface', 1],
  ['statistics', 5],
])('a %s of megabytes of options is damage, and what follows is read', (_name, type) => {
  const empty = numbers(true, [2, 9999], [2, 0])
  const options = repeated(empty, 500_000)
  const body =
    type === 0x0a0d0d0a ? numbers(true, [4, 0x1a2b3c4d], [4, 1], [4, 0], [4, 0]) : new Uint8Array(12)
  const good = (low: number) => enhanced(true, 0, 0, low, PACKET)
  const file = concat(section(true), iface(true), good(1), block(true, type, concat(body, options)), good(2))
  const { seen, loss } = readCapture(file)
  expect(seen.map((packet) => packet.time)).toEqual([1, 2])
  expect(loss.damaged_blocks).toBe(1)
})

test('of a block with more options than any has, only the first are looked at', () => {
  const empty = numbers(true, [2, 9999], [2, 0])
  const options = repeated(empty, 200_000)
  let looked = 0
  eachOption(options, 0, options.length, true, () => looked++)
  expect(looked).toBe(65_536)
})

test('damage that looks like the start of a long block everywhere is read in linear time', () => {
  const moved = vi.spyOn(Uint8Array.prototype, 'copyWithin')
  try {
    const start = numbers(true, [4, 6], [4, 1_000_000], [4, 1])
    const damage = repeated(start, 200_000)
    const file = concat(section(true), iface(true), numbers(true, [4, 6], [4, 7], [4, 7]), damage)
    const cuts = Array.from({ length: 40 }, (_, at) => at * 65_536)
    readCapture(file, cuts)
    const bytes = moved.mock.calls.reduce((sum, [, from, to]) => sum + (to ?? 0) - from, 0)
    expect(bytes).toBeLessThan(file.length * 20)
  } finally {
    moved.mockRestore()
  }
})

function repeated(unit: Uint8Array, count: number): Uint8Array {
  const all = new Uint8Array(unit.length * count)
  for (let at = 0; at < all.length; at += unit.length) all.set(unit, at)
  return all
}
