import type { Flow } from '@tapdeck/wire'
import { copyOf } from '../arena.ts'
import type { Allowance } from '../budget.ts'
import { ask, type Finding } from './candidates.ts'
import type { EngineContext } from './engine-context.ts'
import type { HalfStream } from './half-stream.ts'

/** Segments or datagrams that may begin in the middle of something before a side is given up. */
const ATTEMPTS = 64
/** Bytes kept of a side that nobody recognised. */
const SAMPLE = 256

/** How many of the bytes were taken into the half stream, and what they told. */
export interface Recognition {
  readonly finding: Finding
  readonly taken: number
}

/**
 * Asks whose bytes these are, together with those of the same side that were in doubt before. Bytes that nobody can
 * be sure of yet are held; those that nobody knows are let go.
 */
export function recognise(
  half: HalfStream,
  flow: Flow,
  engine: EngineContext,
  budget: Allowance,
  guessed: boolean,
  bytes: Uint8Array,
  start: number,
  end: number,
  time: number,
): Recognition {
  const { candidates, limits } = engine
  const fresh = half.held === 0
  let taken = fresh ? 0 : half.append(bytes, start, end, limits.probe, budget)
  const asked = half.doubt?.candidates ?? candidates.of(flow)
  const finding = fresh
    ? ask(asked, bytes, start, end, half.side, flow.transport, guessed, engine)
    : ask(asked, half.bytes, 0, half.held, half.side, flow.transport, guessed, engine)
  if (finding.kind === 'found') return { finding, taken }
  if (finding.kind === 'open') {
    half.doubted.candidates = finding.candidates
    if (fresh) {
      half.time = time
      taken = half.append(bytes, start, end, limits.probe, budget)
    }
    if (taken === end - start && half.held < limits.probe) return { finding, taken }
  }
  if (half.held > 0) sample(half, half.bytes, 0, half.held)
  else sample(half, bytes, start, end)
  giveUp(half, flow, budget)
  return { finding: { kind: 'none' }, taken: end - start }
}

/** The same for a datagram, which stands alone. */
export function recogniseDatagram(
  half: HalfStream,
  flow: Flow,
  engine: EngineContext,
  guessed: boolean,
  bytes: Uint8Array,
  start: number,
  end: number,
): Finding {
  const finding = ask(
    engine.candidates.of(flow),
    bytes,
    start,
    end,
    half.side,
    flow.transport,
    guessed,
    engine,
  )
  if (finding.kind !== 'found') {
    sample(half, bytes, start, end)
    if (++half.doubted.attempts >= ATTEMPTS) half.footing = 'deaf'
  }
  return finding
}

/** What was held is not understood. It may be the middle of something, then the end of that is waited for. */
export function giveUp(half: HalfStream, flow: Flow, budget: Allowance): void {
  half.clear(budget)
  const doubt = half.doubted
  doubt.candidates = undefined
  const mayBegin = flow.midstream || half.trouble?.gapTime !== undefined
  half.footing = mayBegin && ++doubt.attempts < ATTEMPTS ? 'adrift' : 'deaf'
}

function sample(half: HalfStream, bytes: Uint8Array, start: number, end: number): void {
  half.doubted.sample ??= copyOf(bytes, start, Math.min(end, start + SAMPLE))
}

/** The first bytes of a side, also of one that was still in doubt. */
export function sampleOf({ doubt, held, bytes }: HalfStream): Uint8Array | undefined {
  return doubt?.sample ?? (held > 0 ? copyOf(bytes, 0, Math.min(held, SAMPLE)) : undefined)
}
