import { staticChecks } from './checks.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { add, bin, finish, nothing, runCheck } from './suites.mjs'

/** `npm run check`, before each commit: types, lint, unused code, and the rules of the repository (imports, words, lock file). */
await ensureInstalled()
const rules = [bin('vitest/vitest.mjs'), 'run', '--config', 'vitest.config.ts', 'scripts/']
const checks = [...staticChecks(), runCheck('rules of the repository', process.execPath, rules)]
finish((await Promise.all(checks)).reduce(add, nothing))
