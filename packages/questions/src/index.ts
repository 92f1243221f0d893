export { BadCursor } from './bad-cursor.ts'
export { isCall, oneCall } from './call-row.ts'
export { type CallPage, type CallQuery, callPage, listing } from './calls.ts'
export {
  type Distribution,
  precisionFor,
} from './distribution.ts'
export { type FlowPeer, type FlowRow, keyOfFlow } from './flow-row.ts'
export type { FlowPage, FlowQuery } from './flows.ts'
export { dimensionsOf, NS_SEPARATOR, PART_SEPARATOR, partsOfGroup } from './group-parts.ts'
export {
  type HandshakeCounts,
  type HandshakePercentiles,
  handshakePercentiles,
  mergeHandshakes,
} from './handshake-counts.ts'
export { isUndecided, reportedCalls } from './is-reported.ts'
export { answerQuestion, askMerged, questions } from './list.ts'
export { ownedFilter } from './owned-filter.ts'
export { type OwnedSide, type Ownership, reportedBy } from './ownership.ts'
export { comparePositions, fromCursor, type Position, toCursor } from './position.ts'
export type {
  AnswerSources,
  Ask,
  Asked,
  CallReader,
  Input,
  LinkRequest,
  Narrowing,
  Output,
  QuestionName,
  Questions,
  VisibleCall,
} from './question.ts'
export { RedactedNames } from './redacted-names.ts'
export type { StatsPage, StatsQuery } from './stats.ts'
export type { StatsDimension, StatsGroupBy } from './stats-dimensions.ts'
export {
  type GroupName,
  keyOfGroup,
  type StatsGroup,
} from './stats-group.ts'
export type { IndexSummary } from './summary.ts'
export { byProtocol, KIB, MIB, order, type TimeWindow, times } from './terms.ts'
export type { ObservedValue, ValuesQuery } from './values.ts'
