import { bigger } from './detectors/bigger.ts'
import { certificates } from './detectors/certificates.ts'
import { newAndGoneEdges } from './detectors/edges.ts'
import { failingMore } from './detectors/failing-more.ts'
import { incidents } from './detectors/incidents.ts'
import { moreCalls } from './detectors/more-calls.ts'
import { oddReplica } from './detectors/replica.ts'
import { slower } from './detectors/slower.ts'
import { tcpTrouble } from './detectors/tcp.ts'
import type { Evidence } from './evidence.ts'
import type { Detector, Suspect } from './finding.ts'
import { rankFindings } from './rank-findings.ts'

/** THE list of detectors. */
const detectors: readonly Detector[] = [
  failingMore,
  slower,
  oddReplica,
  moreCalls,
  bigger,
  newAndGoneEdges,
  tcpTrouble,
  certificates,
  incidents,
]

/** What may be the cause, the most probable first. The same evidence gives the same answer. */
export function findSuspects(evidence: Evidence): Suspect[] {
  return rankFindings(detectors.flatMap((detect) => detect(evidence)))
}
