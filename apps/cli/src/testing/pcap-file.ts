import type { BuiltPacket } from '@tapdeck/wire/testing'

/** Packets as the bytes of a classic pcap file: microseconds, little endian, Ethernet. */
export function pcapFile(packets: Iterable<BuiltPacket>): Buffer {
  const head = Buffer.alloc(24)
  head.writeUInt32LE(0xa1b2c3d4, 0)
  head.writeUInt16LE(2, 4)
  head.writeUInt16LE(4, 6)
  head.writeUInt32LE(262_144, 16)
  head.writeUInt32LE(1, 20)
  const records = [...packets].flatMap(({ data, time, length }) => {
    const record = Buffer.alloc(16)
    record.writeUInt32LE(Math.floor(time / 1e6), 0)
    record.writeUInt32LE(time % 1e6, 4)
    record.writeUInt32LE(data.length, 8)
    record.writeUInt32LE(length ?? data.length, 12)
    return [record, data]
  })
  return Buffer.concat([head, ...records])
}
