import type { OperationOutput } from '@tapdeck/api'
import { factText } from '../call-details/facts.ts'

export type RecordedEvent = OperationOutput<'list_events'>['events'][number]

const shownApart = new Set(['ts', 'kind', 'type', 'node'])
/** Whom an event is about, the most telling first. */
const subjects = ['pod', 'service', 'svc', 'name', 'comm', 'workload', 'pid'] as const

/** The name of the pod, service or process of an event. */
export function subjectOf(event: RecordedEvent): string {
  const key = subjects.find((name) => event[name] !== undefined && typeof event[name] !== 'object')
  return key === undefined ? '' : String(event[key])
}

/** Everything else that an event says, on one line. */
export function detailOf(event: RecordedEvent): string {
  return Object.entries(event)
    .filter(([name, value]) => !shownApart.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${factText(value)}`)
    .join(', ')
}

/** How an event looks: trouble, an end, or an everyday thing. */
export function toneOf({ type }: Pick<RecordedEvent, 'type'>): 'bad' | 'warn' | 'plain' {
  if (/fail|oom|kill|crash|back_?off|unhealthy|error/i.test(type)) return 'bad'
  if (/removed|deleted|exit|end|evict|not_ready/i.test(type)) return 'warn'
  return 'plain'
}
