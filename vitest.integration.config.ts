import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/** The tests of `npm run integration`: they start processes and threads, kill them, fill disks or write large files. */
export default defineConfig({
  test: {
    ...shared,
    include: ['{packages,apps,scripts}/**/*.integration.test.ts'],
    testTimeout: 300_000,
  },
})
