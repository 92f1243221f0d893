import { ethernet, frame, ipv4, tcpFrame } from '@tapdeck/wire/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DONE, FULL, MUST_MOVE, PacketBlocks, UNKNOWN_INTERFACE } from './packet-blocks.ts'
import { PacketCopy } from './packet-copy.ts'
import { PacketDeduplicator } from './packet-deduplicator.ts'
import { BLOCK_SIZE, FIRST_PACKET } from './packet-socket.ts'
import { fillBlock, type KernelPacket } from './testing/kernel-block.ts'

interface Seen {
  readonly bytes: Uint8Array
  readonly length: number
  readonly time: number
  readonly id: number
}

/** The blocks as stored. */
function stored(copy: PacketBlocks, made = copy.made): Seen[] {
  const all = Buffer.from(made)
  const seen: Seen[] = []
  for (let at = 0; at < all.length; ) {
    const size = all.readUInt32LE(at + 4)
    expect(all.readUInt32LE(at)).toBe(6)
    expect(all.readUInt32LE(at + size - 4)).toBe(size)
    const captured = all.readUInt32LE(at + 20)
    const time = all.readUInt32LE(at + 12) * 2 ** 32 + all.readUInt32LE(at + 16)
    const bytes = new Uint8Array(all.subarray(at + 28, at + 28 + captured))
    const options = at + 28 + captured + (-captured & 3)
    expect(all.subarray(at + 28 + captured, options).every((byte) => byte === 0)).toBe(true)
    expect(afterOptions(all, options, at + size - 4)).toBe(at + size - 4)
    seen.push({ bytes, length: all.readUInt32LE(at + 24), time, id: all.readUInt32LE(at + 8) })
    at += size
  }
  return seen
}

/** End of the options: one for local use and the end marker, or none. */
function afterOptions(bytes: Buffer, from: number, end: number): number {
  if (from === end) return from
  if (bytes.readUInt32LE(from) === 0) return from + 4
  expect(bytes.readUInt16LE(from)).toBeGreaterThanOrEqual(0x8000)
  const next = from + 4 + bytes.readUInt16LE(from + 2)
  // No bytes of the kernel's headers or of skipped packets.
  expect(bytes.subarray(from + 4, next).every((byte) => byte === 0)).toBe(true)
  expect(bytes.readUInt32LE(next)).toBe(0)
  return next + 4
}

const memory = new WebAssembly.Memory({ initial: (2 * BLOCK_SIZE + 65_536 + PacketDeduplicator.bytes) >> 16 })
const plain = new PacketCopy(memory, 2 * BLOCK_SIZE)

function begun(
  packets: readonly KernelPacket[],
  room = BLOCK_SIZE,
  loop = true,
  everywhere = false,
): PacketBlocks {
  // Old bytes must not appear in the output.
  new Uint8Array(memory.buffer).fill(0xee)
  const deduplicator = everywhere ? new PacketDeduplicator(memory, 2 * BLOCK_SIZE + 65_536) : undefined
  plain.forgetInterfaces()
  const copy = new PacketBlocks(memory.buffer, loop ? plain : undefined, deduplicator)
  copy.maxFlush = BLOCK_SIZE
  copy.restart(BLOCK_SIZE, 0)
  copy.end = BLOCK_SIZE + room
  for (const hardware of [1, 772, 778, 0xfffe]) copy.setInterfaceId(1, hardware, hardware & 0xff)
  fillBlock(memory.buffer, 0, packets)
  copy.begin(FIRST_PACKET, packets.length)
  return copy
}

function copied(packets: readonly KernelPacket[]): { copy: PacketBlocks; seen: Seen[] } {
  const copy = begun(packets)
  expect(copy.run()).toBe(DONE)
  return { copy, seen: stored(copy) }
}

const tcp = tcpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 1, dport: 2, payload: 'hello' })

test('packets keep bytes, original length, time in microseconds and interface', () => {
  const { copy, seen } = copied([
    { bytes: tcp, seconds: 1_800_000_000, nanoseconds: 123_456_789 },
    { bytes: tcp.subarray(0, 40), length: 9000, seconds: 4_000_000_000, hardwareType: 772 },
    { bytes: tcp.subarray(0, 41), seconds: 1_799_999_999, nanoseconds: 999_999_999 },
  ])
  expect(seen).toEqual([
    { bytes: tcp, length: tcp.length, time: 1_800_000_000_123_456, id: 1 },
    { bytes: tcp.slice(0, 40), length: 9000, time: 4_000_000_000_000_000, id: 772 & 0xff },
    { bytes: tcp.slice(0, 41), length: 41, time: 1_799_999_999_999_999, id: 1 },
  ])
  expect(copy).toMatchObject({ packets: 3, first: 1_799_999_999_999_999, last: 4_000_000_000_000_000 })
})

test('times are correct before and after an overflow of the lower 32 bits', () => {
  const turn = 2 ** 32 * 419_000
  const seconds = Math.floor(turn / 1e6)
  const { seen } = copied(
    [-1, 0, 1].map((off) => ({ bytes: tcp, seconds, nanoseconds: (turn - seconds * 1e6 + off) * 1000 })),
  )
  expect(seen.map(({ time }) => time - turn)).toEqual([-1, 0, 1])
})

test('a stripped VLAN tag is restored, also after the buffer was full', () => {
  const inner = ipv4('10.0.0.1', '10.0.0.2', 17, new Uint8Array(80).fill(9))
  const copy = begun(
    [
      { bytes: frame(inner), seconds: 1, vlan: { tci: 0x2005 } },
      { bytes: frame(inner), seconds: 1, vlan: { tci: 42, tpid: 0x88a8 } },
    ],
    200,
  )
  expect(copy.run()).toBe(FULL)
  const [plain] = stored(copy)
  copy.restart(BLOCK_SIZE, 0)
  expect(copy.run()).toBe(DONE)
  const [service] = stored(copy)
  const tagged = ethernet(0x0800, inner, [0x2005])
  expect(plain!.bytes).toEqual(tagged)
  expect(plain!.length).toBe(tagged.length)
  expect([...service!.bytes.subarray(12, 18)]).toEqual([0x88, 0xa8, 0, 42, 0x08, 0x00])
  expect(service!.bytes.subarray(16)).toEqual(ethernet(0x0800, inner, [42]).subarray(16))
})

test('for other link layers the IP packet is kept, and non-IP packets are counted', () => {
  const packet = ipv4('10.0.0.1', '10.0.0.2', 6, new Uint8Array(20))
  const { copy, seen } = copied([
    { bytes: packet, seconds: 1, network: 0, hardwareType: 0xfffe },
    { bytes: new Uint8Array([1, 2, 3, 4, ...packet]), seconds: 1, network: 4, hardwareType: 778 },
    { bytes: packet, seconds: 1, network: 0, hardwareType: 0xfffe, protocol: 0x88cc },
  ])
  expect(seen.map((one) => one.bytes)).toEqual([packet, packet])
  expect(seen.map((one) => one.length)).toEqual([packet.length, packet.length])
  expect(copy.unknown).toBe(1)
})

test('it stops at an interface without an id and continues at the same packet', () => {
  const copy = begun([
    { bytes: tcp, seconds: 1 },
    { bytes: tcp, seconds: 2, interfaceIndex: 5 },
  ])
  expect(copy.run()).toBe(UNKNOWN_INTERFACE)
  expect(copy).toMatchObject({ interfaceIndex: 5, hardwareType: 1, packets: 1 })
  copy.setInterfaceId(5, 1, 77)
  expect(copy.run()).toBe(DONE)
  expect(stored(copy).map(({ id }) => id)).toEqual([1, 77])
})

const pattern = Uint8Array.from({ length: 9003 }, (_, at) => at * 7)

const anyPacket = fc.record({
  bytes: fc.oneof(
    fc.integer({ min: 0, max: 200 }).map((length) => pattern.slice(0, length)),
    fc.constantFrom(
      tcp,
      ethernet(0x86dd, new Uint8Array(80).fill(0x66)),
      ethernet(0x0800, tcp.subarray(14), [5]),
    ),
  ),
  seconds: fc.constantFrom(1, 2, 1_800_000_000, 4_000_000_000),
  nanoseconds: fc.oneof(fc.integer({ min: 0, max: 999_999_999 }), fc.constantFrom(0, 5_000_000)),
  length: fc.constantFrom(60, 9000),
  interfaceIndex: fc.constantFrom(1, 1, 5, 261),
  hardwareType: fc.constantFrom(1, 1, 1, 772, 0xfffe),
  network: fc.constantFrom(14, 14, 14, 0),
  vlan: fc.option(fc.constant({ tci: 7 }), { freq: 8, nil: undefined }),
})

test('the fast path gives the same result as the general loop, wherever it stops', () => {
  fc.assert(
    fc.property(
      fc.array(anyPacket, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 300, max: 2000 }),
      fc.boolean(),
      (packets, room, everywhere) => {
        const run = (loop: boolean) => {
          const copy = begun(packets as KernelPacket[], room, loop, everywhere)
          copy.maxFlush = 900
          const told: unknown[] = []
          for (let stop = -1; stop !== DONE; ) {
            stop = copy.run()
            const { first, last, unknown, duplicates, packets: count, size } = copy
            // The two loops need different space, because each may overwrite a different number of bytes.
            told.push({
              stop,
              unknown,
              duplicates,
              count,
              ...(count > 0 && { first, last }),
              full: stop === FULL && size > 0,
            })
            told.push(...stored(copy))
            copy.restart(BLOCK_SIZE, 0)
            if (stop === UNKNOWN_INTERFACE) copy.setInterfaceId(copy.interfaceIndex, copy.hardwareType, 9)
          }
          return told
        }
        expect(run(true)).toEqual(run(false))
      },
    ),
    { numRuns: 300 },
  )
})

/** The blocks if each run is flushed, with packets in place as long as possible. */
function inPlace(packets: readonly KernelPacket[]) {
  const copy = begun(packets)
  copy.inPlace = true
  const seen: Seen[] = []
  const stops: number[] = []
  for (let stop = -1; stop !== DONE; ) {
    stop = copy.run()
    stops.push(stop)
    if (copy.packets > 0) seen.push(...stored(copy))
    copy.restart(BLOCK_SIZE, 0)
    if (stop === UNKNOWN_INTERFACE) copy.setInterfaceId(copy.interfaceIndex, copy.hardwareType, 9)
    if (stop === MUST_MOVE) copy.inPlace = false
  }
  return { copy, seen, stops }
}

test('packets in place give the same result as copied packets', () => {
  const packets = [9000, 0, 60, 9001, 1, 9002, 9003, 13, 4096, 1500].map((length, at) => ({
    bytes: pattern.subarray(0, length),
    seconds: at,
    ...(at % 4 === 3 && { vlan: { tci: 7 } }),
  }))
  const { copy, seen, stops } = inPlace(packets)
  expect(stops).toEqual([DONE])
  expect(seen).toEqual(copied(packets).seen)
  expect(copy.from).toBe(BLOCK_SIZE)
})

test('in place, it continues after an interface without an id, and copies from an unaligned packet on', () => {
  const raw = ipv4('10.0.0.1', '10.0.0.2', 6, new Uint8Array(20))
  // Lengths with and without space for the end of a block before the next header.
  for (const length of [60, 62, 64, 66, 68, 70, 72]) {
    const bytes = pattern.subarray(0, length)
    const packets = [
      { bytes, seconds: 1 },
      { bytes, seconds: 2, interfaceIndex: 5 },
      { bytes, seconds: 3 },
      { bytes: raw, seconds: 4, network: 0, hardwareType: 0xfffe },
      { bytes, seconds: 5 },
    ]
    const { seen, stops } = inPlace(packets)
    expect(stops).toEqual([UNKNOWN_INTERFACE, MUST_MOVE, DONE])
    expect(seen.map((one) => ({ ...one, bytes: one.bytes.length }))).toEqual([
      { bytes: length, length, time: 1e6, id: 1 },
      { bytes: length, length, time: 2e6, id: 9 },
      { bytes: length, length, time: 3e6, id: 1 },
      { bytes: 40, length: 40, time: 4e6, id: 0xfe },
      { bytes: length, length, time: 5e6, id: 1 },
    ])
    expect(seen[2]!.bytes).toEqual(bytes.slice())
  }
})

test('in place, large skipped packets are not stored', () => {
  const big = tcpFrame({
    src: '10.0.0.1',
    dst: '10.0.0.2',
    sport: 1,
    dport: 2,
    payload: new Uint8Array(3000),
  })
  const twice = [tcp, big].flatMap((bytes, at) => [
    { bytes, seconds: at, interfaceIndex: 1 },
    { bytes, seconds: at, interfaceIndex: 5 },
  ])
  const packets = [...twice, { bytes: tcp, seconds: 9 }]
  const copy = begun(packets, BLOCK_SIZE, true, true)
  copy.setInterfaceId(5, 1, 5)
  copy.inPlace = true
  expect(copy.run()).toBe(DONE)
  expect(copy.duplicates).toBe(2)
  expect(stored(copy).map(({ bytes }) => bytes)).toEqual([tcp, big, tcp])
  expect(copy.made.length).toBeLessThan(big.length + 600)
})

test.each([false, true])('what is made can be whole pages, whatever its length (in place: %s)', (stays) => {
  for (let length = 2500; length < 2500 + 4200; length += 211) {
    const packets = [60, length].map((size) => ({ bytes: pattern.subarray(0, size), seconds: 1 }))
    const copy = begun(packets)
    copy.restart(BLOCK_SIZE, 64)
    copy.inPlace = stays
    expect(copy.run()).toBe(DONE)
    const front = copy.from - copy.page
    const pages = copy.pages()
    expect(front).toBeGreaterThanOrEqual(64)
    expect([copy.page % 4096, pages.length % 4096]).toEqual([0, 0])
    expect(pages.length).toBeLessThan(length + 4096 + 400)
    expect(stored(copy, pages.subarray(front))).toEqual(copied(packets).seen)
  }
})

test('in place, packets after a large skipped first packet are moved up', () => {
  const big = { bytes: pattern, seconds: 1, hardwareType: 0xfffe, protocol: 0x88cc, network: 0 }
  const packets = [big, { bytes: pattern.subarray(0, 5001), seconds: 2 }, { bytes: tcp, seconds: 3 }]
  const copy = begun(packets)
  copy.inPlace = true
  expect(copy.run()).toBe(DONE)
  expect(copy.from - copy.page).toBe(64)
  const pages = copy.pages()
  expect(pages.length).toBe(8192)
  expect(stored(copy, pages.subarray(64)).map(({ bytes }) => bytes)).toEqual([pattern.slice(0, 5001), tcp])
})

test('nothing is stored of a block whose packets are all skipped', () => {
  const { copy, stops } = inPlace([
    { bytes: tcp, seconds: 1, network: 0, hardwareType: 0xfffe, protocol: 0x88cc },
  ])
  expect(stops).toEqual([DONE])
  expect(copy).toMatchObject({ packets: 0, unknown: 1 })
})
