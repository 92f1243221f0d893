export { ClickhouseIndex } from './clickhouse-index.ts'
export type { QueueStatus } from './insert-queue.ts'
export { openClickhouseIndex } from './open-clickhouse-index.ts'
