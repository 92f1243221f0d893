import { say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { findChromium } from './find-chromium.mjs'
import { finish, runVitest } from './suites.mjs'

/** The suites of `test/e2e`: as root, with real tools, which `.ci/run` installs. Words select files by their path. */
await ensureInstalled()
const { ensureBuilt } = await import('./build.mjs')
await ensureBuilt()
if (process.getuid?.() !== 0) say('Not run as root: tests that capture packets are skipped')
const chromium = findChromium()
const env = chromium ? { TAPDECK_CHROMIUM: chromium } : {}
const words = process.argv.slice(2)
finish(await runVitest('end-to-end tests', 'vitest.e2e.config.ts', { env, words }))
