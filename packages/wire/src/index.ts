export { chunkMemory, type WasmChunkMemory } from './accelerated/wasm-chunk-memory.ts'
export { TLS_KEY_LOG } from './capture-file/block.ts'
export {
  type CaptureComment,
  type CapturedInterface,
  type CapturedSecrets,
  CaptureNotes,
} from './capture-file/capture-notes.ts'
export { CaptureReader } from './capture-file/capture-reader.ts'
export { type Compression, compressionOf } from './capture-file/compression.ts'
export { PCAP_HEADER_SIZE, PCAP_RECORD_OVERHEAD, pcapHeader, pcapRecord } from './capture-file/pcap-record.ts'
export { PcapngWriter, type WrittenInterface, type WrittenStatistics } from './capture-file/pcapng-writer.ts'
export type { WrittenPacket } from './capture-file/written-packet.ts'
export { unzstd } from './compression/zstd/unzstd.ts'
export { ZstdDecoder } from './compression/zstd/zstd-decoder.ts'
export { type Connection, Connections } from './connections/connections.ts'
export type { Datagram } from './datagram.ts'
export type {
  Address,
  CloseReason,
  DirectionCounters,
  Flow,
  Resent,
  Side,
  TcpMetrics,
  Transport,
} from './flow.ts'
export { FlowFinder } from './flows/flow-finder.ts'
export { PROTOCOL } from './ip/protocol.ts'
export { type Loss, sumLoss } from './loss.ts'
export { Malformed } from './malformed.ts'
export { viewOf } from './memory-view.ts'
export { PacketEnds } from './packet-ends.ts'
export { ANY_PORT_KEY, addressKey, PacketKeys, portKey } from './packet-keys.ts'
export type { PacketSink } from './packet-sink.ts'
export { parseAddress } from './parse-address.ts'
export { partyKeys } from './party-keys.ts'
export type { RecordBatch } from './record-batch.ts'
export { isLookupPort } from './shard/is-lookup-port.ts'
export type { Shard } from './shard/shard.ts'
export type { StreamHandler } from './stream-handler.ts'
export { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream-limits.ts'
export { type StreamOptions, Streams } from './streams.ts'
