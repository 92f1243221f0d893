export type { Boundaries } from './boundaries.ts'
export { type CaptureFileOptions, openCaptureFile } from './capture-file.ts'
export { Damaged } from './damaged.ts'
export { NameTaken } from './name-taken.ts'
export { NoRoom } from './no-room.ts'
export { Preamble } from './preamble.ts'
export { Ring, type RingOptions, type RingState } from './ring.ts'
export type { Room } from './room.ts'
export type { BlockInfo } from './segment.ts'
export type { RecordedInterface } from './segment-blocks.ts'
export type {
  Snapshot,
  SnapshotChange,
  SnapshotFile,
  SnapshotNode,
  SnapshotRequest,
  SnapshotStatus,
} from './snapshot.ts'
export { SnapshotStore } from './snapshot-store.ts'
export type { NodeResult, SnapshotWriter } from './snapshot-writer.ts'
export type { WindowPart } from './window-part.ts'
export { WindowReader, type WindowResult } from './window-reader.ts'
