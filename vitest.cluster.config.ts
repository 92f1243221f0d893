import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/** A real cluster, made by `npm run cluster`. The tests share it, and run one after another. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/cluster/**/*.cluster.ts'],
    globalSetup: ['test/cluster/install-chart.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000, interval: 500 } },
    fileParallelism: false,
  },
})
