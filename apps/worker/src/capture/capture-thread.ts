import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { Ring, type RingState } from '@tapdeck/recording'
import { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_MEMORY } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import { serveRequests } from '../threads/serve-requests.ts'
import { BlockWriter } from './block-writer.ts'
import { Capture } from './capture.ts'
import type { CaptureRequests, CaptureStart, CaptureStatus } from './capture-message.ts'
import { noCaptureReason } from './no-capture-reason.ts'
import { WriteBehind } from './write-behind.ts'

/** Of this thread alone: short of processors, recording goes before what it records. */
const PRIORITY = -10
/** Between two steps of what can wait. */
const UPKEEP_BUSY_MS = 5
const UPKEEP_IDLE_MS = 500
/** Packets of a window that ended before have left the kernel's ring. */
const RECENT_MS = 5000

/** The capture thread: kernel → blocks → ring on disk, always; and to the live thread while indexing is on. */
const start: CaptureStart = workerData
const { capture, failure } = await openCapture()
const behind = capture && new WriteBehind(capture.leaveCache)
const { ring, failure: ringFailure } = openRing()
let startFailure: string | undefined
const lease = new BlockLease()

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
let upkeep = setTimeout(tend, UPKEEP_IDLE_MS)

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
    // What is being written, and what waits for that.
    await ring?.settled(2)
    return { parts: ring?.hold(from, end) ?? [], oldest: ring?.boundaries().oldest_ts ?? null }
  },
  async stop() {
    clearTimeout(upkeep)
    await capture?.stop()
    writer.setIndexing(false)
    writer.flush(0)
    ring?.close()
    behind?.close()
    writer.disconnect()
    setImmediate(() => parentPort!.close())
    return undefined
  },
})

/** A step is short beside what the kernel's ring holds, and rests are long beside a step. */
function tend(): void {
  upkeep = setTimeout(tend, ring?.tend() ? UPKEEP_BUSY_MS : UPKEEP_IDLE_MS)
}

function openRing(): { ring?: Ring; failure?: string } {
  if (!start.recording) return { failure: 'recording is turned off' }
  const { folder, maxBytes } = start.recording
  try {
    const wrote = behind && ((path: string, bytes: number) => behind.wrote(path, bytes))
    const { node, application } = start
    return {
      ring: Ring.open(folder, {
        maxBytes,
        node,
        application,
        ...(wrote && { wrote }),
        ...(capture && { walk: capture.memory.walk }),
      }),
    }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

async function openCapture(): Promise<{ capture?: Capture; failure?: string }> {
  try {
    return { capture: await Capture.open(start) }
  } catch (error) {
    return { failure: noCaptureReason(error) }
  }
}

function startCapture(): void {
  try {
    capture?.setPaused(!ring)
    capture?.start(writer)
  } catch (error) {
    startFailure = noCaptureReason(error)
  }
}

function raisePriority(): void {
  try {
    setPriority(PRIORITY)
  } catch {
    // Not allowed to an ordinary user; the kernel's ring is the cushion.
  }
}

function status(): CaptureStatus {
  capture?.count()
  const missing = capture?.missing ?? []
  const interfaces = capture?.interfaces ?? []
  const reason =
    failure ?? startFailure ?? (missing.length > 0 ? `no such interface: ${missing.join(', ')}` : undefined)
  return {
    active: capture !== undefined && startFailure === undefined && interfaces.length > 0,
    ...(reason === undefined ? {} : { reason }),
    interfaces,
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
    loss: {
      kernel_drops: capture?.drops ?? 0,
      disk_drops: ring?.lost ?? 0,
      skipped_packets: writer.skipped,
      unknown_packets: writer.unknown,
    },
  }
}

function ringState(): RingState {
  return ring?.state ?? { recording: false, reason: ringFailure ?? 'recording is turned off', since: 0 }
}
