import type { RecordBatch } from './record-batch.ts'

/**
 * Receives packets, one call a packet and no object a packet: `data[start, end)` is the captured part of a frame of
 * `length` bytes, at `time` (microseconds since the epoch), of link type `link` (LINKTYPE_*). The bytes are only valid
 * during the call, except those of a stable chunk.
 */
export interface PacketSink {
  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void
  /** The next packets are in this chunk, and its bytes will not change: the sink may keep views of it. */
  onStableChunk?(chunk: Uint8Array): void
  /** Keys that a capture file carries for its packets. `type` is the code of pcapng, such as `TLS_KEY_LOG`. */
  secrets?(type: number, data: Uint8Array): void
  /** Whether `dropForeignPackets` has an effect. */
  readonly dropsForeignPackets?: boolean
  /** Drops packets that the sink would only count, and counts them. */
  dropForeignPackets?(records: RecordBatch): void
}
