import type { KeySource } from '@tapdeck/tls'
import type { Flow, Loss, Side } from '@tapdeck/wire'
import type { FastPaths } from '../accelerated/fast-paths.ts'
import type { Call, TlsSession } from '../contract/call.ts'
import type { Connection } from '../contract/dissector.ts'
import type { Limits } from '../contract/limits.ts'
import type { ReusedFrame } from '../contract/reused-frame.ts'
import type { Budget } from '../memory/budget.ts'
import type { Candidates } from './detect/candidates.ts'
import type { DirectionBufferPool } from './frame/direction-buffer-pool.ts'
import type { FrameReader } from './frame/frame-reader.ts'

/** A flow in the engine's list of flows that have pending requests. */
export interface Watched {
  /** Index in that list; -1: not listed. */
  watchedAt: number
}

/** An encrypted flow, as the flow of its plaintext sees it. */
export interface PlaintextParent {
  readonly flow: Flow
  readonly context?: { readonly [key: string]: unknown }
  /** Calls of both flows are numbered in one sequence. */
  takeOrdinal(): number
}

/** The flow of the plaintext inside of an encrypted one. */
export interface PlaintextFlow {
  readonly protocols: readonly string[]
  data(side: Side, bytes: Uint8Array, start: number, end: number, time: number): void
  gap(side: Side, missing: number, time: number, cut: boolean): void
  finish(side: Side, time: number): void
  close(time: number): void
}

/** What all flows of an engine share. */
export interface EngineContext {
  readonly limits: Limits
  readonly loss: Loss
  readonly budget: Budget
  readonly candidates: Candidates
  /** The frame object, reused for every frame. */
  readonly frame: ReusedFrame
  readonly reader: FrameReader
  readonly directionBuffers: DirectionBufferPool
  readonly copy: Connection['copy']
  readonly arena: Connection['arena']
  readonly fastPaths: FastPaths
  /** Secrets of encrypted connections, where there are any. */
  keys(): KeySource | undefined
  readonly concealsDecrypted: boolean
  /** Opens the flow of the plaintext inside of another one; undefined if that one is decrypted itself. */
  readonly openPlaintext:
    | ((parent: PlaintextParent, session: () => TlsSession, protocol?: string) => PlaintextFlow)
    | undefined
  isEnabled(protocol: string): boolean
  emit(call: Call): void
  /** Swaps the sides of a flow; returns false if that is not possible. */
  flip(flow: Flow): boolean
  /** Reports an error other than `Malformed`: a bug in a protocol. */
  fault(error: unknown, protocol: string): void
  /** Adds a flow with pending requests. */
  watch(flow: Watched): void
  unwatch(flow: Watched): void
}
