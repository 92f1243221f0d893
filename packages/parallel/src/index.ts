export { MAX_THREADS } from './max-threads.ts'
export { RestartableDissection } from './restartable-dissection.ts'
export { type ShardContext, serveShard } from './serve-shard.ts'
export { ShardPool, type ShardPoolOptions } from './shard-pool.ts'
