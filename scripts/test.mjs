import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { findChromium } from './find-chromium.mjs'
import { add, bin, nothing, runCheck, runVitest, sumLine } from './suites.mjs'

/** Everything that a machine with only Node.js and npm can check. The last line sums it up. */
try {
  await ensureInstalled()
} catch (error) {
  say(error.message)
  process.stdout.write(`${sumLine({ ...nothing, failed: 1 })}\n`)
  process.exit(1)
}

const node = process.execPath
const checks = await Promise.all([
  runCheck('build', node, [join(root, 'scripts', 'build.mjs')]),
  runCheck('types', node, [bin('typescript/bin/tsc'), '--noEmit']),
  runCheck('lint and format', node, [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.']),
  runCheck('no unused files, exports or dependencies', node, [bin('knip/bin/knip.js')]),
])
let total = checks.reduce(add, nothing)
total = add(total, await runVitest('unit and contract tests', 'vitest.config.ts'))
total = add(total, await browserTests())

process.stdout.write(`${sumLine(total)}\n`)
process.exitCode = total.failed > 0 ? 1 : 0

async function browserTests() {
  const chromium = findChromium()
  if (chromium) return runVitest('browser tests', 'vitest.browser.config.ts', { TAPDECK_CHROMIUM: chromium })
  say('skipped: browser tests, because no Chromium that runs was found (TAPDECK_CHROMIUM names one)')
  return { ...nothing, skipped: 1 }
}
