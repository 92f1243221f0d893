import { defineConfig } from 'vitest/config'

/** Our dissection beside tshark's, call by call. */
export default defineConfig({
  test: {
    include: ['test/oracle/**/*.test.ts'],
    testTimeout: 60_000,
  },
})
