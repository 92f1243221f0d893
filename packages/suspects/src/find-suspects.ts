import { amplification } from './detectors/amplification.ts'
import { bigger } from './detectors/bigger.ts'
import { certificates } from './detectors/certificates.ts'
import { clockSkew } from './detectors/clock-skew.ts'
import { concurrency } from './detectors/concurrency.ts'
import { deadline } from './detectors/deadline.ts'
import { changedAnswers } from './detectors/dns-answers.ts'
import { searchStorm } from './detectors/dns-search-storm.ts'
import { unansweredNames } from './detectors/dns-unanswered.ts'
import { newAndGoneEdges } from './detectors/edges.ts'
import { failingMore } from './detectors/failing-more.ts'
import { halfOpen } from './detectors/half-open.ts'
import { changedHeaders } from './detectors/headers.ts'
import { healthCheck } from './detectors/health-check.ts'
import { hotReplica } from './detectors/hot-replica.ts'
import { incidents } from './detectors/incidents.ts'
import { leakingConnections } from './detectors/leaking-connections.ts'
import { locks } from './detectors/locks.ts'
import { moreCalls } from './detectors/more-calls.ts'
import { mtuBlackHole } from './detectors/mtu.ts'
import { oddNode } from './detectors/odd-node.ts'
import { oddVersion } from './detectors/odd-version.ts'
import { packetLoss } from './detectors/packet-loss.ts'
import { rateLimited } from './detectors/rate-limited.ts'
import { oddReplica } from './detectors/replica.ts'
import { slower } from './detectors/slower.ts'
import { zeroWindow } from './detectors/zero-window.ts'
import type { Evidence } from './evidence.ts'
import type { Detector, Suspect } from './finding.ts'
import { mergeOutside } from './merge-outside.ts'
import { rankFindings } from './rank-findings.ts'

/** THE list of detectors. */
const detectors: readonly Detector[] = [
  failingMore,
  slower,
  oddReplica,
  oddVersion,
  oddNode,
  moreCalls,
  amplification,
  bigger,
  newAndGoneEdges,
  packetLoss,
  zeroWindow,
  certificates,
  incidents,
  changedAnswers,
  changedHeaders,
  clockSkew,
  concurrency,
  deadline,
  halfOpen,
  healthCheck,
  hotReplica,
  leakingConnections,
  locks,
  mtuBlackHole,
  rateLimited,
  searchStorm,
  unansweredNames,
]

/** What may be the cause, the most probable first. The same evidence gives the same answer. */
export function findSuspects(evidence: Evidence): Suspect[] {
  const merged = mergeOutside(evidence)
  const findings = detectors.flatMap((detect) => detect(merged))
  return rankFindings(findings, merged.after.edges)
}
