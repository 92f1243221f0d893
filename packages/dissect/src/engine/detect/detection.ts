import type { Flow } from '@tapdeck/wire'
import { copyOf } from '../../memory/arena.ts'
import type { Allowance } from '../../memory/budget.ts'
import type { EngineContext } from '../engine-context.ts'
import type { DirectionBuffer } from '../frame/direction-buffer.ts'
import { type Detection, type ProbedBytes, probeAll } from './candidates.ts'

/** Segments or datagrams without a match before a side is ignored. */
const MAX_ATTEMPTS = 64
/** Bytes kept of an unrecognised side. */
const MAX_SAMPLE = 256

/** Bytes of one direction, `bytes[start, end)`, to be probed. */
export interface DetectionInput {
  readonly direction: DirectionBuffer
  readonly flow: Flow
  readonly engine: EngineContext
  readonly isClientGuessed: boolean
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
}

/** The outcome, and how many bytes were appended to the buffer. */
export interface DetectionResult {
  readonly outcome: Detection
  readonly taken: number
}

/**
 * Probes these bytes together with earlier undecided ones of the same side. Undecided bytes are buffered, rejected
 * ones dropped.
 */
export function detect(input: DetectionInput, budget: Allowance, time: number): DetectionResult {
  const { direction, flow, engine, bytes, start, end } = input
  const { candidates, limits } = engine
  const fresh = direction.held === 0
  let taken = fresh ? 0 : direction.append(bytes, start, end, limits.probe, budget)
  const asked = direction.detection?.candidates ?? candidates.of(flow)
  const outcome = probeAll(asked, sampleToProbe(input, fresh), engine)
  if (outcome.kind === 'found') return { outcome, taken }
  if (outcome.kind === 'undecided') {
    direction.ensureDetection().candidates = outcome.candidates
    if (fresh) {
      direction.time = time
      taken = direction.append(bytes, start, end, limits.probe, budget)
    }
    if (taken === end - start && direction.held < limits.probe) return { outcome, taken }
  }
  if (direction.held > 0) sample(direction, direction.bytes, 0, direction.held)
  else sample(direction, bytes, start, end)
  rejectBytes(direction, flow, budget)
  return { outcome: { kind: 'none' }, taken: end - start }
}

/** The same for a datagram, which is probed alone. */
export function detectDatagram(input: DetectionInput): Detection {
  const { direction, flow, engine, bytes, start, end } = input
  const outcome = probeAll(engine.candidates.of(flow), sampleToProbe(input, true), engine)
  if (outcome.kind !== 'found') {
    sample(direction, bytes, start, end)
    if (++direction.ensureDetection().attempts >= MAX_ATTEMPTS) direction.sync = 'ignored'
  }
  return outcome
}

/** The given bytes, or all that is buffered. */
function sampleToProbe(input: DetectionInput, isFresh: boolean): ProbedBytes {
  const { direction, flow, isClientGuessed } = input
  const [bytes, start, end] = isFresh
    ? [input.bytes, input.start, input.end]
    : [direction.bytes, 0, direction.held]
  const { side } = direction
  const unpairedPort = flow.directions[side === 0 ? 1 : 0].packets === 0 ? flow.ends[side].port : -1
  return { bytes, start, end, side, transport: flow.transport, isClientGuessed, unpairedPort }
}

/** No protocol matched. If these may be bytes from the middle of a message, keep trying. */
export function rejectBytes(direction: DirectionBuffer, flow: Flow, budget: Allowance): void {
  direction.clear(budget)
  const detection = direction.ensureDetection()
  detection.candidates = undefined
  const mayBegin = flow.midstream || direction.gapState?.gapTime !== undefined
  direction.sync = mayBegin && ++detection.attempts < MAX_ATTEMPTS ? 'searching' : 'ignored'
}

function sample(direction: DirectionBuffer, bytes: Uint8Array, start: number, end: number): void {
  direction.ensureDetection().sample ??= copyOf(bytes, start, Math.min(end, start + MAX_SAMPLE))
}

/** The first bytes of a side, also of an undecided one. */
export function sampleOf({ detection, held, bytes }: DirectionBuffer): Uint8Array | undefined {
  return detection?.sample ?? (held > 0 ? copyOf(bytes, 0, Math.min(held, MAX_SAMPLE)) : undefined)
}
