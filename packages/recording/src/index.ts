export type { ArchivedSnapshots, CopyRequest } from './archive/archived-snapshots.ts'
export {
  type BucketDissection,
  type BucketDissections,
  type FoundDissection,
  newRun,
} from './archive/bucket-dissections.ts'
export { CaptureDigest, type CaptureSummary } from './archive/capture-digest.ts'
export { findArchived } from './archive/find-archived.ts'
export type { GrantedUpload } from './archive/granted-upload.ts'
export type { Boundaries } from './boundaries.ts'
export { type CaptureFileOptions, openCaptureFile } from './capture-file.ts'
export { ChosenPackets } from './chosen-packets.ts'
export { Damaged } from './damaged.ts'
export type { DiskBudget } from './disk-budget.ts'
export type { Drops } from './drops.ts'
export { sync, writeDurably } from './durable-file.ts'
export { eachLine, fromLine, timeOfLine, toLine } from './events/event-line.ts'
export { EventLog, type EventLogState } from './events/event-log.ts'
export { type EventPage, type EventQuery, findEvents } from './events/event-query.ts'
export { Owners, ownershipTypes } from './events/owners.ts'
export type { EventKind, RecordedEvent } from './events/recorded-event.ts'
export type { PacketFilter } from './filter-files.ts'
export { type CoverageGap, type CoverageState, outside, within } from './gaps/coverage-gap.ts'
export { CoverageLog } from './gaps/coverage-log.ts'
export { type HandedWindow, handOver, NotLinkable } from './hand-over.ts'
export { lockFile, lockFolder, watchLock } from './lock/folder-lock.ts'
export { describeHolder, isHolderAlive, isOrphan, readRecord } from './lock/lock-record.ts'
export { NameTaken } from './name-taken.ts'
export { nodeFileName } from './node-file-name.ts'
export { isDiskFull, isDiskFullText, OutOfSpace } from './out-of-space.ts'
export { PAGE_BYTES, type Pages } from './pages.ts'
export { plainSize, readPlainFile } from './plain-file.ts'
export { Preamble } from './preamble.ts'
export { dataFolderNames, makePrivate } from './private-folder.ts'
export { readChunksOf } from './read-chunks.ts'
export { Ring, type RingOptions, type RingState } from './ring.ts'
export type { BlockInfo } from './segment.ts'
export { FILLER, type RecordedInterface, STATISTICS_BYTES } from './segment-blocks.ts'
export { EndsWalk } from './segment-index/ends-walk.ts'
export { OpenPartIndex } from './segment-index/open-part-index.ts'
export { readPartIndex } from './segment-index/part-index.ts'
export type { SegmentIndex } from './segment-index/segment-index.ts'
export type {
  CoveredTime,
  Snapshot,
  SnapshotCapture,
  SnapshotChange,
  SnapshotEvents,
  SnapshotGap,
  SnapshotLoss,
  SnapshotNode,
  SnapshotRemarks,
  SnapshotRequest,
  SnapshotStatus,
} from './snapshot.ts'
export { SnapshotStore, type SnapshotStoreOptions } from './snapshot-store.ts'
export type { NodeResult, SnapshotWriter } from './snapshot-writer.ts'
export type { WindowPart } from './window-part.ts'
export { WindowReader, type WindowResult } from './window-reader.ts'
