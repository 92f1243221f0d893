import { defineConfig } from 'vitest/config'
import { shared } from './vitest.shared.ts'

/**
 * The tests of `npm test`. Files share processes and modules, which saves loading the same modules for each file. So a test
 * restores what it changes outside its own file. What needs processes, threads, kills or large files is in
 * `vitest.integration.config.ts`.
 */
export default defineConfig({
  test: {
    ...shared,
    include: [
      'packages/**/*.test.ts',
      'apps/**/*.test.{ts,tsx}',
      'scripts/**/*.test.ts',
      'test/contract/**/*.test.ts',
      'test/fuzz/**/*.test.ts',
    ],
    exclude: ['**/node_modules/**', '**/*.integration.test.ts'],
    isolate: false,
  },
})
