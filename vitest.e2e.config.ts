import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/**
 * Whole machines: real capture, real traffic, real tools. They run as root, one after another. The dashboard's are
 * with the browser tests.
 */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/e2e/**/*.e2e.ts'],
    exclude: ['test/e2e/dashboard/**'],
    testTimeout: 180_000,
    fileParallelism: false,
  },
})
