import type { Evidence, Party } from './evidence.ts'
import type { Impact, Loss } from './loss.ts'

export type FindingKind =
  | 'failing'
  | 'unanswered'
  | 'connection_failed'
  | 'dns_failing'
  | 'dns_unanswered'
  | 'dns_search_storm'
  | 'dns_answer_changed'
  | 'tls_failing'
  | 'certificate'
  | 'slower'
  | 'concurrency'
  | 'more_calls'
  | 'retries'
  | 'amplification'
  | 'n_plus_one'
  | 'bigger'
  | 'deadline'
  | 'rate_limited'
  | 'health_check'
  | 'clock_skew'
  | 'lock'
  | 'header_changed'
  | 'packet_loss'
  | 'mtu_black_hole'
  | 'leaking_connections'
  | 'half_open'
  | 'zero_window'
  | 'replica'
  | 'hot_replica'
  | 'version'
  | 'node'
  | 'new_edge'
  | 'gone'
  | 'restart'
  | 'rollout'

export type Severity = 'high' | 'medium' | 'note'

/** Which calls show a finding. All conditions apply. */
export interface Selection {
  readonly client?: Party
  readonly server?: Party
  readonly proto?: string
  readonly path?: string
  readonly error?: string
  readonly connectionEnd?: string
  /** Only calls that took longer, in milliseconds. */
  readonly slowerThan?: number
  /** Only calls whose response was larger, in bytes. */
  readonly largerThan?: number
  /** The pod of the server. */
  readonly pod?: Party
  /** Any of these pods. */
  readonly pods?: readonly Party[]
  /** The node of the server. */
  readonly node?: string
  /** Only requests larger than so many bytes. */
  readonly requestLargerThan?: number
  /** Only calls on connections with a zero window. */
  readonly hasZeroWindow?: true
  /** Only requests that were sent again, and have no answer. */
  readonly isStalled?: true
  /** Only requests without an answer. */
  readonly isSilent?: true
  /** Only calls on connections on which packets were sent again before they ended. */
  readonly isResent?: true
}

/** Something that may be the cause, or a consequence of it. */
export interface Finding {
  readonly kind: FindingKind
  /** 0 to 100: how much it speaks for itself. */
  readonly score: number
  readonly what: string
  /** How much: figures before and after. */
  readonly before?: string
  readonly after: string
  /** Unix milliseconds of the first sign, where it is known. */
  readonly began?: number
  readonly client?: Party
  readonly server?: Party
  /** Absent where no call shows it. */
  readonly selection?: Selection
  /** What speaks against it. */
  readonly against: readonly string[]
  /** The calls that failed or were delayed. Absent: it is a change that costs no call by itself. */
  readonly loss?: Loss
  /** What `before` describes; default: the time before. */
  readonly comparedWith?: 'peers' | 'protocol'
  /** Users hardly notice it by itself: it is never of high severity. */
  readonly isMinor?: true
  /** It was the same before the change. */
  readonly isBackground?: true
  /** Errors that are ordinary for the protocol: they explain nothing that is not. */
  readonly isOrdinary?: true
  /** Of a finding about several services: these services. */
  readonly covers?: readonly Party[]
  /** Pods that differ from the others, by their keys. */
  readonly pods?: readonly string[]
}

/** A finding among the others. */
export interface Suspect extends Finding {
  readonly severity: Severity
  /** Places, from 0, of findings that this one would explain. */
  readonly explains: readonly number[]
  /** The place of the finding that would explain this one. */
  readonly explainedBy?: number
  /** Places of all findings that follow from this one, also over several steps. Of a consequence: none. */
  readonly victims: readonly number[]
  /** What users lose by it. */
  readonly impact?: Impact
}

/** One way of looking at the evidence. */
export type Detector = (evidence: Evidence) => readonly Finding[]
