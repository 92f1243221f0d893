import type { EndsWalk } from '@tapdeck/recording'
import type { PacketCopy } from './packet-copy.ts'
import type { PacketDeduplicator } from './packet-deduplicator.ts'

/** The memory of frames and blocks, the offset of the blocks, and their address for other threads. */
export interface CaptureMemory {
  readonly buffer: ArrayBuffer
  readonly blocks: number
  readonly address: bigint
  /** The packet loops in WebAssembly on this memory. */
  readonly copy: PacketCopy
  readonly walk: EndsWalk
  /** Set if all interfaces are captured: a forwarded packet is then seen several times. */
  readonly deduplicator?: PacketDeduplicator
}
