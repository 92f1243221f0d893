export { BadCursor } from './bad-cursor.ts'
export { isCall, oneCall } from './call-row.ts'
export { type CallPage, type CallQuery, callPage, listing } from './calls.ts'
export {
  addDistributions,
  continuousQuantile,
  type Distribution,
  discreteQuantile,
  type Precision,
  precisionFor,
} from './distribution.ts'
export { type FlowPeer, type FlowRow, type FlowStats, type FlowView, keyOfFlow } from './flow-row.ts'
export type { FlowPage, FlowQuery } from './flows.ts'
export { dimensionsOf, groupOfParts, NS_SEPARATOR, PART_SEPARATOR, partsOfGroup } from './group-parts.ts'
export {
  type HandshakeCounts,
  type HandshakePercentiles,
  handshakePercentiles,
  mergeHandshakes,
} from './handshake-counts.ts'
export { isUndecided, type OwnedCall, reportedCalls } from './is-reported.ts'
export { answerQuestion, askMerged, questions } from './list.ts'
export { ownedFilter } from './owned-filter.ts'
export { type OwnedSide, type Ownership, type OwnershipTerms, reportedBy, undecidedIn } from './ownership.ts'
export { compareCursors, comparePositions, fromCursor, type Position, toCursor } from './position.ts'
export type {
  AnswerSources,
  Ask,
  Asked,
  CallReader,
  Input,
  Narrowing,
  Output,
  Question,
  QuestionName,
  Questions,
  Redacting,
  VisibleCall,
} from './question.ts'
export type { StatsPage, StatsQuery } from './stats.ts'
export {
  type GroupName,
  keyOfGroup,
  type StatsDimension,
  type StatsGroup,
  type StatsGroupBy,
  statsDimensions,
} from './stats-group.ts'
export { type IndexSummary, mergeSummaries } from './summary.ts'
export { byProtocol, KIB, MIB, order, type TimeWindow, times } from './terms.ts'
export type { ObservedValue, ValuesQuery } from './values.ts'
