import type { MessagePort } from 'node:worker_threads'
import type { Boundaries, RingState, WindowPart } from '@tapdeck/recording'
import type { CaptureOptions } from './capture.ts'

/** What the capture thread is started with. */
export interface CaptureStart extends CaptureOptions {
  readonly node: string
  readonly application: string
  /** Absent where packets are not recorded. */
  readonly recording?: { readonly folder: string; readonly maxBytes: number }
}

/** What it is asked, and what it answers. */
export interface CaptureRequests {
  /** The way to a live thread that has just begun: no block of the one before it is in use any more. */
  connect: { input: MessagePort; output: undefined }
  indexing: { input: boolean; output: undefined }
  /** A BPF expression, empty for none: it takes effect at once, without a packet in between. */
  filter: { input: string; output: undefined }
  status: { input: undefined; output: CaptureStatus }
  /** Segments of a window in milliseconds, opened; whoever asked closes the file descriptors. */
  hold: {
    input: { start: number; end: number }
    output: { parts: readonly WindowPart[]; oldest: number | null }
  }
  stop: { input: undefined; output: undefined }
}

export interface CaptureStatus {
  readonly active: boolean
  /** Why it is not active, or what is missing though it is. */
  readonly reason?: string
  readonly interfaces: readonly string[]
  readonly packets: number
  /** Packets left out because they were seen on another interface just before. */
  readonly duplicates: number
  readonly boundaries: Boundaries
  readonly recording: RingState
  /** Packets by kind of loss, as in `Loss`; `disk_drops` are those the ring could not store. */
  readonly loss: Readonly<Record<string, number>>
}
