import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'packages/**/*.test.ts',
      'apps/**/*.test.{ts,tsx}',
      'scripts/**/*.test.ts',
      'test/contract/**/*.test.ts',
      'test/fuzz/**/*.test.ts',
    ],
    // Hangs are caught, slow machines are not punished.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
