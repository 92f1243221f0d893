import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { ensureBuilt } from './build.mjs'
import { root, say } from './checkout.mjs'
import { findChromium } from './find-chromium.mjs'

/**
 * Pictures of every view with the traffic of the demo, at three widths in both themes: node scripts/screenshots.mjs [FOLDER] [VIEW…].
 * Needs root or CAP_NET_RAW, and a Chromium. TAPDECK_URL takes a hub that runs already, with what it has.
 */
const [folder = mkdtempSync(join(tmpdir(), 'tapdeck-screenshots-')), ...wanted] = process.argv.slice(2)
const widths = [400, 800, 1440]
const themes = ['light', 'dark']
const heights = { 400: 800, 800: 900, 1440: 900 }
const port = 28_898
const base = process.env.TAPDECK_URL ?? `http://127.0.0.1:${port}`
const cli = join(root, 'dist', 'tapdeck.mjs')

/** THE list. `at` is its address, `ready` is shown when the view has what it shows; `open` opens something in it. */
const views = {
  calls: { ready: '.call-row, [role=row]' },
  call: {
    at: `?q=${encodeURIComponent('dst.svc == "inventory" and response.status == 500')}`,
    ready: '[role=row] >> nth=2',
    open: (page) => page.locator('[role=row]').nth(2).click(),
    shows: 'text=What happened',
  },
  suspects: { ready: '.suspect, .suspect-list .empty' },
  map: { ready: '.map-canvas' },
  stats: { ready: '.stats-table tbody tr' },
  flows: { ready: '.stats-table tbody tr' },
  events: { ready: 'main' },
  nodes: { ready: '.node-facts' },
  snapshots: { ready: '.dissection' },
  recordings: { ready: 'main' },
  settings: { ready: '.settings-part' },
}

const executablePath = findChromium()
if (!executablePath) throw new Error('No Chromium was found. Install one, or set TAPDECK_CHROMIUM.')
mkdirSync(folder, { recursive: true })
const own = process.env.TAPDECK_URL ? undefined : await startDemo()
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  for (const [name, view] of Object.entries(views)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    for (const width of widths) for (const theme of themes) await shoot(name, view, width, theme)
  }
  say(`Pictures are in ${folder}`)
} finally {
  await browser.close()
  await own?.stop()
}

async function shoot(name, { at, ready, open, shows }, width, colorScheme) {
  const context = await browser.newContext({ viewport: { width, height: heights[width] }, colorScheme })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(`${base}/${at ?? `#${name}`}`)
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

async function startDemo() {
  await ensureBuilt()
  const data = mkdtempSync(join(tmpdir(), 'tapdeck-demo-'))
  const run = (...args) => spawn(process.execPath, [cli, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const up = run('up', '--port', String(port), '--data', data, '--interface', 'lo')
  await until(() => fetch(`${base}/readyz`).then(({ ok }) => ok))
  const demo = run('demo', '--url', base, '--rate', '20')
  const calls = async (kfl) => {
    const answer = await fetch(`${base}/api/calls?limit=1&kfl=${encodeURIComponent(kfl)}`)
    return (await answer.json()).total
  }
  await until(async () => (await calls('dst.ns == "shop"')) > 2000)
  await post('/api/snapshots', { name: 'incident-1', duration: '5m' })
  await until(async () => (await get('/api/snapshots/incident-1')).status === 'completed')
  await post('/api/dissections', { snapshot_name: 'incident-1', dissection_name: 'all' })
  await until(async () => (await get('/api/dissections/incident-1/all')).status === 'completed')
  return {
    stop: async () => {
      for (const child of [demo, up]) await ended(child)
      rmSync(data, { recursive: true, force: true })
    },
  }
}

function ended(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  return gone
}

async function get(path) {
  return (await fetch(base + path)).json()
}

function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  return fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
}

async function until(isSo) {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await isSo().catch(() => false)) return
    await sleep(500)
  }
  throw new Error('The demo did not get ready.')
}
