import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/** The index on ClickHouse: `npm run clickhouse` starts one. It answers one query at a time, so files run one by one. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/clickhouse/**/*.test.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
})
