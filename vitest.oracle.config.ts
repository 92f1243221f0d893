import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/** Our dissection beside tshark's, call by call. */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/oracle/**/*.test.ts'],
  },
})
