import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/** Tests that drive a real browser against a running Tapdeck; they need a Chromium on the machine. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/e2e/dashboard/**/*.e2e.ts'],
    fileParallelism: false,
  },
})
