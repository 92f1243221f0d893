import { say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { findChromium } from './find-chromium.mjs'
import { runVitest, sumLine } from './suites.mjs'

/** The suites of `test/e2e`: as root, with real tools. `.ci/run` brings those. */
await ensureInstalled()
const { ensureBuilt } = await import('./build.mjs')
await ensureBuilt()
if (process.getuid?.() !== 0) say('Not run as root: tests that capture packets are skipped')
const chromium = findChromium()
const counts = await runVitest('end-to-end tests', 'vitest.e2e.config.ts', {
  ...(chromium && { TAPDECK_CHROMIUM: chromium }),
})
process.stdout.write(`${sumLine(counts)}\n`)
process.exitCode = counts.failed > 0 ? 1 : 0
