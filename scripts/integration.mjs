import { say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { findChromium } from './find-chromium.mjs'
import { add, finish, nothing, runVitest } from './suites.mjs'

/**
 * `npm run integration`: tests with processes, threads, kills and large files, and those of the page in a browser. Words
 * select files of the former by their path: `npm run integration -- supervisor`.
 */
await ensureInstalled()
const { ensureBuilt } = await import('./build.mjs')
await ensureBuilt()
const words = process.argv.slice(2)
const counts = await runVitest('integration tests', 'vitest.integration.config.ts', { words })
finish(words.length > 0 ? counts : add(counts, await browserTests()))

async function browserTests() {
  const chromium = findChromium()
  const env = { TAPDECK_CHROMIUM: chromium }
  if (chromium) return runVitest('browser tests', 'vitest.browser.config.ts', { env })
  say('skipped: browser tests, because no Chromium that runs was found (TAPDECK_CHROMIUM names one)')
  return { ...nothing, skipped: 1 }
}
