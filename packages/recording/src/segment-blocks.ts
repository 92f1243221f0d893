import { PcapngWriter, type WrittenInterface } from '@tapdeck/wire'

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

/** Counts of the section so far, told as those of its first interface: the kernel counts a socket, not an interface. */
export function statisticsBlock(time: number, received: number, drops: number): Uint8Array {
  return written((writer) => writer.statistics(0, time, { received, drops }))
}

export const STATISTICS_BYTES = statisticsBlock(0, 0, 0).length

function written(write: (writer: PcapngWriter) => void): Uint8Array {
  const writer = new PcapngWriter()
  write(writer)
  return writer.take()
}
