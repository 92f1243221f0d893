import { PcapngWriter, type WrittenInterface } from '@tapdeck/wire'

/** Options of a statistics block: packets received, dropped, and dropped by the operating system besides. */
export const STATISTIC = { received: 4, dropped: 5, byKernel: 7 } as const
const STATISTICS = [STATISTIC.received, STATISTIC.dropped, STATISTIC.byKernel]
const TWO_32 = 4_294_967_296

/** Types of the pcapng blocks (draft-ietf-opsawg-pcapng) that a segment is made of. */
export const BLOCK = { section: 0x0a0d0d0a, interface: 1, statistics: 5, packet: 6 } as const

export type RecordedInterface = WrittenInterface

/** `origin` is where Wireshark shows what made a capture, and on which node. */
export function sectionBlock(origin?: string): Uint8Array {
  return written((writer) => writer.section(origin))
}

export function interfaceBlock(description: RecordedInterface): Uint8Array {
  return written((writer) => writer.interface(description))
}

export const STATISTICS_BYTES = 8 + 12 + STATISTICS.length * 12 + 4 + 4

/** An option of unused bytes, with a code of the range for local use (draft-ietf-opsawg-pcapng, 3.5). */
export const FILLER = 0x8001

/**
 * Counts of the section so far, told as those of its first interface: the kernel counts a socket, not an interface.
 * `disk` of the `drops` were lost at the disk. It can be made longer, by multiples of 4, to fill a place.
 */
export function statisticsBlock(
  time: number,
  received: number,
  drops: number,
  disk: number,
  length = STATISTICS_BYTES,
): Uint8Array {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, BLOCK.statistics, true)
  view.setUint32(4, length, true)
  view.setUint32(12, Math.floor(time / TWO_32), true)
  view.setUint32(16, time % TWO_32, true)
  for (const [place, value] of [received, disk, drops - disk].entries()) {
    const at = 20 + place * 12
    view.setUint16(at, STATISTICS[place]!, true)
    view.setUint16(at + 2, 8, true)
    view.setBigUint64(at + 4, BigInt(value), true)
  }
  if (length > STATISTICS_BYTES) {
    const at = STATISTICS_BYTES - 8
    view.setUint16(at, FILLER, true)
    view.setUint16(at + 2, length - STATISTICS_BYTES - 4, true)
  }
  view.setUint32(length - 4, length, true)
  return bytes
}

function written(write: (writer: PcapngWriter) => void): Uint8Array {
  const writer = new PcapngWriter()
  write(writer)
  return writer.take()
}
