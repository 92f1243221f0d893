import { defineConfig } from 'vitest/config'

/** Tests that drive a real browser against a running Tapdeck; they need a Chromium on the machine. */
export default defineConfig({
  test: {
    include: ['test/e2e/dashboard/**/*.e2e.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
})
