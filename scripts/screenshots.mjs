import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { say } from './checkout.mjs'
import { startDemoHub, startLockedHub } from './demo-hub.mjs'
import { findChromium } from './find-chromium.mjs'

/**
 * Pictures of every view with the traffic of the demo, at three widths in both themes: node scripts/screenshots.mjs [FOLDER] [VIEW…].
 * Needs root or CAP_NET_RAW, and a Chromium. TAPDECK_URL takes a hub that runs already, with what it has.
 */
const [folder = mkdtempSync(join(tmpdir(), 'tapdeck-screenshots-')), ...wanted] = process.argv.slice(2)
const widths = [400, 800, 1440]
const themes = ['light', 'dark']
const heights = { 400: 800, 800: 900, 1440: 900 }

/** THE list. `at` is its address, `ready` is shown when the view has what it shows; `open` opens something in it. `isLocked`: of a hub that asks for a token. */
const views = {
  calls: { ready: '[role=row]:visible' },
  ...Object.fromEntries(
    ['overview', 'request', 'response', 'timing', 'connection', 'packets', 'events', 'related'].map((tab) => [
      `call-${tab}`,
      {
        at: `?db=incident-1%2Fall&q=${encodeURIComponent('dst.svc == "inventory" and response.status == 500')}`,
        ready: '.grid-rows [role=row]:visible',
        open: async (page) => {
          await page.locator('.grid-rows [role=row]').first().click()
          await page.locator(`[role=tab][id*="${tab}"]`).click()
        },
        shows: '[role=tabpanel] .part',
      },
    ]),
  ),
  suspects: { ready: '.suspect, .suspect-list .empty' },
  map: { ready: '[aria-label^="Map of"]:not([aria-label^="Map of 0"])' },
  stats: { ready: '.stats-table tbody tr' },
  flows: { ready: '.stats-table tbody tr' },
  events: { ready: 'main' },
  nodes: { ready: '.node-facts' },
  snapshots: { ready: '.dissection' },
  recordings: { ready: 'main' },
  settings: { ready: '.settings-part' },
  docs: { at: '#docs/kfl', ready: '.docs-text table' },
  login: { at: '', ready: '.login form', isLocked: true },
}

const executablePath = findChromium()
if (!executablePath) throw new Error('No Chromium was found. Install one, or set TAPDECK_CHROMIUM.')
mkdirSync(folder, { recursive: true })
const chosen = Object.entries(views).filter(([name]) => wanted.length === 0 || wanted.includes(name))
const isNeeded = chosen.some(([, { isLocked }]) => !isLocked)
const own = process.env.TAPDECK_URL || !isNeeded ? undefined : await startDemoHub()
const base = own?.base ?? process.env.TAPDECK_URL
const locked = chosen.some(([, { isLocked }]) => isLocked) ? await startLockedHub() : undefined
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  for (const [name, view] of chosen)
    for (const width of widths) for (const theme of themes) await shoot(name, view, width, theme)
  say(`Pictures are in ${folder}`)
} finally {
  await browser.close()
  await own?.stop()
  await locked?.stop()
}

async function shoot(name, { at, ready, open, shows, isLocked }, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: heights[width] }, colorScheme })
  const page = await context.newPage()
  await page.addInitScript(() => localStorage.setItem('tapdeck.hints', '["all"]'))
  page.setDefaultTimeout(60_000)
  await page.goto(`${isLocked ? locked.base : base}/${at ?? `#${name}`}`)
  const file = join(folder, `${name}-${width}-${colorScheme}.png`)
  try {
    await page.locator(ready).first().waitFor()
    await open?.(page)
    if (shows) await page.locator(shows).first().waitFor()
  } catch (problem) {
    say(`${name} at ${width}: ${String(problem).split('\n')[0]}`)
  }
  // The charts are painted by the next frames.
  await sleep(700)
  await page.screenshot({ path: file })
  await context.close()
}
