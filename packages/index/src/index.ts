export { answerQuestion, isQuestion, type QuestionName, type Questions } from './answer-question.ts'
export { BadCursor } from './bad-cursor.ts'
export type {
  CallIndex,
  CallPage,
  CallQuery,
  CallStart,
  FlowPage,
  FlowPeer,
  FlowQuery,
  FlowRow,
  FlowStats,
  GroupName,
  IndexOptions,
  IndexSummary,
  ObservedValue,
  Peers,
  StatsDimension,
  StatsGroup,
  StatsGroupBy,
  StatsQuery,
  TimeWindow,
  ValuesQuery,
} from './call-index.ts'
export { statsDimensions } from './call-index.ts'
export { ClickhouseFailure } from './clickhouse/clickhouse-failure.ts'
export { WrongSchema } from './clickhouse/wrong-schema.ts'
export { ROWS_A_COMMIT } from './duckdb/chunk-writer.ts'
export { isCorrupt, isDamage } from './duckdb/is-damage.ts'
export { joinIndexes } from './duckdb/join-indexes.ts'
export { openIndex } from './duckdb/open-index.ts'
export { explainFilter } from './explain-filter.ts'
export { keyOfFlow } from './flow-key.ts'
export { dimensionsOf, groupOfParts, partsOfGroup } from './group-parts.ts'
export { type HandshakeCounts, type HandshakePercentiles, mergeHandshakes } from './handshake-counts.ts'
export { isUndecided, reportedCalls } from './is-reported.ts'
export type { AnswerSources } from './merge/answer-sources.ts'
export { askMerged } from './merge/ask-merged.ts'
export { keyOfGroup } from './merge/merge-stats.ts'
export { ownedFilter } from './owned-filter.ts'
export type { Ownership } from './ownership.ts'
export { NotWritable } from './parquet/not-writable.ts'
export { type ParquetColumns, ParquetFolder, type ParquetRow } from './parquet/parquet-folder.ts'
export { pathTemplate } from './path-template.ts'
export { compareCursors } from './position.ts'
export { QueryTooLarge } from './query-too-large.ts'
