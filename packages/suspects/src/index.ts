export { changePoint, type Slice } from './change-point.ts'
export type {
  Certificate,
  Connections,
  Evidence,
  Incident,
  Lookups,
  NameAnswers,
  Observation,
  Party,
  PodHeaders,
  Stalled,
  Statement,
  Traffic,
} from './evidence.ts'
export { findSuspects } from './find-suspects.ts'
export type { Finding, FindingKind, Selection, Severity, Suspect } from './finding.ts'
export type { Impact, Loss } from './loss.ts'
export { resendTime } from './resend-time.ts'
