import type { MessagePort } from 'node:worker_threads'
import type { Boundaries, CoverageState, RingState, WindowPart } from '@tapdeck/recording'
import type { CaptureOptions } from './capture.ts'
import type { PodCaptureStatus } from './pods/pod-capture.ts'

/** Start options of the capture thread. */
export interface CaptureStart extends CaptureOptions {
  readonly node: string
  readonly application: string
  /** Absent if packets are not recorded. */
  readonly recording?: { readonly folder: string; readonly maxBytes: number }
}

/** Requests to the capture thread and their answers. */
export interface CaptureRequests {
  /** The port of a new live thread. Blocks of the previous live thread are free again. */
  connect: { input: MessagePort; output: undefined }
  indexing: { input: boolean; output: undefined }
  /** A BPF expression, empty for none. It takes effect atomically. */
  filter: { input: string; output: undefined }
  status: { input: undefined; output: CaptureStatus }
  /** Opens the segments of a window (milliseconds). The caller closes the file descriptors. */
  hold: {
    input: { start: number; end: number }
    output: { parts: readonly WindowPart[]; oldest: number | null }
  }
  stop: { input: undefined; output: undefined }
}

export interface CaptureStatus {
  readonly active: boolean
  /** Why capture is not active, or which interface is missing. */
  readonly reason?: string
  readonly interfaces: readonly string[]
  readonly packets: number
  /** Set if interfaces of pods are to be captured. */
  readonly podLoopback?: PodCaptureStatus
  /** Packets skipped as duplicates of another interface. */
  readonly duplicates: number
  readonly boundaries: Boundaries
  readonly recording: RingState
  /** All packets up to this time (Unix milliseconds) were stored and sent to the live thread. */
  readonly captured_until: number
  /** Times at which nothing was recorded. */
  readonly coverage: CoverageState
  /** Why these times cannot be written to disk. */
  readonly coverageFailure?: string
  /** Packets by kind of loss, as in `Loss`; `disk_drops`: packets that the ring could not store. */
  readonly loss: Readonly<Record<string, number>>
}
