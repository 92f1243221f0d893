import { readFileSync } from 'node:fs'
import type { CoverageGap } from './coverage-gap.ts'

/** What the file of a coverage log holds. */
export interface StoredCoverage {
  readonly gaps: readonly CoverageGap[]
  /** Absent while it is on. */
  readonly off?: { readonly since: number; readonly reason: string; readonly detail?: string }
  /** Where the period that is on began. */
  readonly since?: number
}

/** The last covered moment, and before when everything was deleted. */
export interface Beat {
  readonly until: number
  readonly forgotten: number
}

export const NO_BEAT: Beat = { until: 0, forgotten: 0 }

export function beatPath(file: string): string {
  return `${file}.beat`
}

/** Undefined where there is none. One that cannot be read says that nothing is known of what was before. */
export function readStored(file: string): StoredCoverage | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return UNKNOWN
  }
  try {
    const value: unknown = JSON.parse(text)
    return isStored(value) ? value : UNKNOWN
  } catch {
    return UNKNOWN
  }
}

const UNKNOWN: StoredCoverage = { gaps: [], off: { since: 0, reason: 'unknown' } }

export function readBeat(file: string): Beat {
  try {
    const [until = 0, forgotten = 0] = readFileSync(beatPath(file), 'utf8').trim().split(' ').map(Number)
    return Number.isFinite(until) && Number.isFinite(forgotten) ? { until, forgotten } : NO_BEAT
  } catch {
    return NO_BEAT
  }
}

function isStored(value: unknown): value is StoredCoverage {
  if (!isRecord(value) || !Array.isArray(value.gaps) || !value.gaps.every(isGap)) return false
  const { off, since } = value
  if (off === undefined) return typeof since === 'number'
  return isRecord(off) && typeof off.since === 'number' && typeof off.reason === 'string'
}

function isGap(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value.from === 'number' &&
    typeof value.to === 'number' &&
    typeof value.reason === 'string'
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
