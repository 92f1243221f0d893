import { setPriority } from 'node:os'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { isDiskFullText, Ring, type RingState } from '@tapdeck/recording'
import { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_MEMORY } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import { serveRequests } from '../threads/serve-requests.ts'
import { BlockWriter } from './block-writer.ts'
import { Capture } from './capture.ts'
import type { CaptureRequests, CaptureStart, CaptureStatus } from './capture-message.ts'
import { noCaptureCode, noCaptureReason } from './no-capture-reason.ts'
import { MAX_STORE_DELAY_MS, RecorderCoverage, type RecorderState } from './recorder-coverage.ts'
import { WriteBehind } from './write-behind.ts'

/** Priority of this thread only: with few processors, recording must not wait for the recorded programs. */
const PRIORITY = -10
/** Delay between two steps of background maintenance. */
const MAINTENANCE_BUSY_MS = 5
const MAINTENANCE_IDLE_MS = 500
/** Characters of a file system error that are reported: it may contain long paths. */
const MAX_REASON = 500
/** How often the coverage of the recording is updated. */
const COVERAGE_MS = 500
/** Packets older than this are no longer in the kernel's ring. */
const RECENT_MS = 5000

const COVERAGE_FILE = 'coverage.json'

interface Failure {
  readonly code: 'no_permission' | 'capture_lost'
  readonly text: string
}

/** The capture thread: kernel → blocks → ring on disk, always; and to the live thread while indexing is on. */
const start: CaptureStart = workerData
const { capture, failure } = await openCapture()
const behind = capture && start.recording && new WriteBehind(capture.leaveCache, start.recording.maxBytes)
const { ring, failure: ringFailure } = openRing()
let startFailure: Failure | undefined
const lease = new BlockLease()
const startedAt = Date.now()

const writer = new BlockWriter({
  ...(ring ? { ring } : {}),
  memory: capture?.memory ?? { buffer: new ArrayBuffer(BLOCK_MEMORY), blocks: 0 },
  lease,
  node: start.node,
  application: start.application,
  snapLength: start.snapLength,
  nameOf: (index) => capture?.nameOf(index),
})
raisePriority()
startCapture()
const coverage = new RecorderCoverage(
  ring && join(ring.folder, COVERAGE_FILE),
  ring?.recoveredUntil ?? 0,
  Date.now(),
)
/** All packets up to this time (Unix milliseconds) were stored and sent to the live thread. */
let capturedUntil = 0
note()
const noting = setInterval(note, COVERAGE_MS)
let upkeep = setTimeout(maintain, MAINTENANCE_IDLE_MS)

serveRequests<CaptureRequests>(parentPort!, {
  connect(port) {
    writer.flush(0)
    lease.reset()
    const address = capture?.memory.address
    if (address !== undefined)
      port.postMessage({ kind: 'memory', address, lease: lease.memory } satisfies BlockMessage)
    writer.connect(port)
    return undefined
  },
  indexing(enabled) {
    capture?.setPaused(!ring && !enabled)
    writer.setIndexing(enabled)
    return undefined
  },
  filter(expression) {
    capture?.setExpression(expression)
    return undefined
  },
  status,
  async hold({ start: from, end }) {
    if (end > Date.now() - RECENT_MS) await capture?.caughtUp()
    writer.flush(0)
    // Wait for running and queued writes.
    await ring?.settled(2)
    return { parts: ring?.hold(from, end) ?? [], oldest: ring?.boundaries().oldest_ts ?? null }
  },
  async stop() {
    clearTimeout(upkeep)
    clearInterval(noting)
    const at = Date.now()
    await capture?.stop()
    writer.setIndexing(false)
    writer.flush(0)
    ring?.close()
    coverage.stop(at, ring?.lost ?? 0)
    behind?.close()
    writer.disconnect()
    setImmediate(() => parentPort!.close())
    return undefined
  },
})

/** One step of maintenance of the ring. Steps are short compared with the kernel's buffer, and pauses are long. */
function maintain(): void {
  upkeep = setTimeout(maintain, ring?.maintain() ? MAINTENANCE_BUSY_MS : MAINTENANCE_IDLE_MS)
}

function openRing(): { ring?: Ring; failure?: string } {
  if (!start.recording) return { failure: 'Recording is turned off (tap.capture.raw.enabled)' }
  const { folder, maxBytes } = start.recording
  try {
    const { node, application } = start
    return {
      ring: Ring.open(folder, {
        maxBytes,
        node,
        application,
        ...(behind && {
          wrote: (path, bytes) => behind.wrote(path, bytes),
          deleted: (path) => behind.deleted(path),
        }),
        ...(capture && { walk: capture.memory.walk }),
      }),
    }
  } catch (error) {
    const why = (error instanceof Error ? error.message : String(error)).slice(0, MAX_REASON)
    return { failure: `The recording cannot be opened (${why}). Correct that, then restart the worker.` }
  }
}

async function openCapture(): Promise<{ capture?: Capture; failure?: Failure }> {
  try {
    return { capture: await Capture.open(start) }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

function startCapture(): void {
  try {
    capture?.setPaused(!ring)
    capture?.start(writer)
  } catch (error) {
    startFailure = failureOf(error)
  }
}

function failureOf(error: unknown): Failure {
  return { code: noCaptureCode(error), text: noCaptureReason(error) }
}

function recorderState(): RecorderState {
  const off = notRecording()
  const settled = ring !== undefined && !ring.isWriting
  return {
    ...(off && { off }),
    lost: ring?.lost ?? 0,
    drained: capture?.isTaken === true && !writer.hasMore && !writer.isWriting,
    newest: settled ? (ring.boundaries().newest_ts ?? 1) - 1 : 0,
    deletedUntil: ring?.deletedUntil ?? 0,
  }
}

function note(): void {
  const now = Date.now()
  const state = recorderState()
  if (state.drained) capturedUntil = now - MAX_STORE_DELAY_MS
  coverage.update(state, now)
}

/** The reason why packets are not recorded now. */
function notRecording(): RecorderState['off'] {
  if (!ring)
    return start.recording
      ? { reason: 'disk_failed', ...(ringFailure && { detail: ringFailure }) }
      : { reason: 'recorder_off' }
  const failed = failure ?? startFailure
  if (failed) return { reason: failed.code, detail: failed.text }
  if (capture?.interfaces.length === 0) return { reason: 'capture_lost', detail: 'no interface is up' }
  const { state } = ring
  if (state.recording) return undefined
  return { reason: isDiskFullText(state.reason) ? 'disk_full' : 'disk_failed', detail: state.reason }
}

function raisePriority(): void {
  try {
    setPriority(PRIORITY)
  } catch {
    // Not permitted for an ordinary user; the kernel's ring absorbs delays.
  }
}

function status(): CaptureStatus {
  capture?.count()
  note()
  const missing = capture?.missing ?? []
  const interfaces = capture?.interfaces ?? []
  const podLoopback = capture?.podLoopback
  const reason =
    (failure ?? startFailure)?.text ??
    (missing.length > 0 ? `no such interface: ${missing.join(', ')}` : undefined)
  return {
    active: capture !== undefined && startFailure === undefined && interfaces.length > 0,
    ...(reason === undefined ? {} : { reason }),
    interfaces,
    ...(podLoopback && { podLoopback }),
    packets: writer.packets,
    duplicates: writer.duplicates,
    boundaries: ring?.boundaries() ?? {
      oldest_ts: null,
      newest_ts: null,
      size_bytes: 0,
      packet_count: 0,
      dropped_packets: 0,
      drops: { kernel: 0, queue: 0, disk: 0 },
    },
    recording: ringState(),
    captured_until: capturedUntil,
    coverage: coverage.state,
    ...(coverage.failure !== undefined && { coverageFailure: coverage.failure }),
    loss: {
      kernel_drops: capture?.drops ?? 0,
      disk_drops: ring?.lost ?? 0,
      skipped_packets: writer.skipped,
      unknown_packets: writer.unknown,
    },
  }
}

function ringState(): RingState {
  const since = start.recording ? startedAt : 0
  return ring?.state ?? { recording: false, reason: ringFailure ?? 'Recording is turned off', since }
}
