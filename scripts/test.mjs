import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { staticChecks } from './checks.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { add, finish, nothing, runCheck, runVitest } from './suites.mjs'

/**
 * `npm test`: what a machine with only Node.js and npm can check. `npm test -- kfl` runs only the test files whose path
 * contains that word, without the checks. The last line is the sums.
 */
try {
  await ensureInstalled()
  const words = process.argv.slice(2)
  finish(words.length > 0 ? await matchingTests(words) : await allTests())
} catch (error) {
  say(error.message)
  finish({ ...nothing, failed: 1 })
}

function matchingTests(words) {
  return runVitest(`tests of ${words.join(', ')}`, 'vitest.config.ts', { words })
}

async function allTests() {
  const build = runCheck('build', process.execPath, [join(root, 'scripts', 'build.mjs')])
  const checks = await Promise.all([build, ...staticChecks()])
  const tests = await runVitest('unit and contract tests', 'vitest.config.ts')
  return [...checks, tests].reduce(add, nothing)
}
