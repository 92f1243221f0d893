import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { root, say } from './checkout.mjs'
import { startDemoHub } from './demo-hub.mjs'
import { findChromium } from './find-chromium.mjs'
import { pageAsSvg } from './page-as-svg.mjs'
import { recordCanvas } from './record-canvas.mjs'

/**
 * `npm run pictures`: walks the tour (docs/tour.md) through the real page with the demo, and writes its pictures as SVG. As root,
 * with a Chromium; in a network and host name namespace of its own, so that neither other traffic nor the name of the machine is on them:
 * `unshare -nu sh -c 'hostname node-1; ip link set lo up; npm run pictures'`.
 */
const MAX_BYTES = 80 * 1024
const executablePath = findChromium()
if (!executablePath) throw new Error('No Chromium was found. Install one, or set TAPDECK_CHROMIUM.')
const hub = await startDemoHub()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 } })
  page.setDefaultTimeout(120_000)
  await page.addInitScript(recordCanvas)

  await page.goto(`${hub.base}/`)
  await page.getByRole('button', { name: 'Find the cause' }).waitFor()
  await take(page, 'calls')

  await page.getByRole('button', { name: 'Find the cause' }).click()
  const suspect = page.locator('.suspect', { hasText: 'checkout to inventory' }).first()
  await suspect.waitFor()
  await page.getByRole('button', { name: 'No more hints' }).click()
  await suspect.evaluate((card) => card.scrollIntoView({ block: 'center' }))
  await take(page, 'suspects')

  await suspect.getByText('Its calls').click()
  await page.locator('[role=row]:visible').nth(2).click()
  await page.getByRole('tab', { name: 'Response' }).click()
  await page.getByText('deadlock detected').last().scrollIntoViewIfNeeded()
  await take(page, 'response')

  await page.getByRole('button', { name: 'Clear the filter' }).click()
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await page.locator('.map-canvas').waitFor()
  // The map animates into place.
  await sleep(3000)
  await take(page, 'map')

  await page.getByRole('button', { name: 'Keep and dissect this window' }).click()
  await page.getByRole('status').getByRole('button', { name: 'Open' }).waitFor()
  await page.getByRole('link', { name: 'Snapshots', exact: true }).click()
  await page.locator('.dissection').nth(1).waitFor()
  await take(page, 'snapshots')
} finally {
  await browser.close()
  await hub.stop()
}

async function take(page, name) {
  // The charts are painted by the next frames.
  await sleep(700)
  const svg = await page.evaluate(pageAsSvg)
  if (svg.length > MAX_BYTES) say(`${name}: ${svg.length} bytes, more than ${MAX_BYTES}`)
  const file = join(root, 'docs', 'images', `${name}.svg`)
  writeFileSync(file, svg)
  say(`${file}: ${svg.length} bytes`)
}
