export { RestartableDissection } from './restartable-dissection.ts'
export { type ShardContext, serveShard } from './serve-shard.ts'
export { MAX_THREADS, ShardPool, type ShardPoolOptions } from './shard-pool.ts'
