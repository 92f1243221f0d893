export { Crew, type CrewOptions, MOST_THREADS } from './crew.ts'
export { DissectionSeries } from './dissection-series.ts'
export { type ShardSeat, serveShard } from './serve-shard.ts'
