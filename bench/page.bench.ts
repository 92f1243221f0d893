import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { browserPath, launch } from '../test/e2e/dashboard/visit.ts'
import { mainThreadTasks } from './page/main-thread.ts'
import { PageServer } from './page/page-server.ts'

/**
 * What the page costs in a real Chromium: tasks of its main thread while it scrolls through a million calls, follows a live stream, moves a
 * large map, and is loaded a second time. The answers come from a server of this bench, so that only the page is measured. With the path
 * of a folder as argument, the traces are kept there.
 */
const CALLS = 1_000_000
const RATE = 5000
const SECONDS = 10
const VIEWPORT = { width: 1440, height: 900 }

const folder = process.argv[2]
if (browserPath() === undefined) {
  console.log('No Chromium was found. Install one, or set TAPDECK_CHROMIUM.')
  process.exit(0)
}
if (folder) mkdirSync(folder, { recursive: true })
const server = await PageServer.start(join(process.cwd(), 'dist', 'dashboard'), CALLS, RATE)
const browser = await launch()
try {
  console.log('Processor time of the main thread.')
  console.log('| scenario | tasks | over 50 ms | longest, ms | sum, ms | JavaScript heap after, MB |')
  console.log('|---|---|---|---|---|---|')
  await measure('scroll by wheel through 1,000,000 calls', '/?db=a%2Fb', wheel)
  await measure('drag the scroll bar of 1,000,000 calls', '/?db=a%2Fb', drag)
  await measure(`follow ${RATE} calls a second`, '/', () => sleep(SECONDS * 1000))
  await measure('move a map of 300 services and 2,000 edges', '/#map', moveMap)
  await measure('load the page again', '/?db=a%2Fb', reload)
} finally {
  await browser.close()
  server.stop()
}

async function measure(title: string, path: string, act: (page: Page) => Promise<unknown>): Promise<void> {
  const page = await (await browser.newContext({ viewport: VIEWPORT })).newPage()
  await page.goto(server.url + path)
  await page
    .locator(path.includes('map') ? '.map-canvas' : '.grid-rows [role=row]')
    .first()
    .waitFor()
  await sleep(3000)
  const trace = await traced(browser, page, () => act(page))
  const { tasks, long, longestMs, totalMs } = mainThreadTasks(trace)
  const heap = await heapBytes(await page.context().newCDPSession(page))
  const cells = [tasks, long, longestMs.toFixed(0), totalMs.toFixed(0), (heap / 1e6).toFixed(0)]
  console.log(`| ${title} | ${cells.join(' | ')} |`)
  if (folder) writeFileSync(join(folder, `${title.replaceAll(/[^a-z0-9]+/g, '-')}.json`), trace)
  await page.context().close()
}

async function traced(of: Browser, page: Page, act: () => Promise<unknown>): Promise<Buffer> {
  await of.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] })
  await act()
  return of.stopTracing()
}

async function heapBytes(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  await session.send('Performance.enable')
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
}

async function wheel(page: Page): Promise<void> {
  await page.locator('.grid-body').hover()
  for (const until = performance.now() + SECONDS * 1000; performance.now() < until; ) {
    await page.mouse.wheel(0, 1200)
    await sleep(16)
  }
}

async function drag(page: Page): Promise<void> {
  const began = performance.now()
  for (let part = 0; part < 1; part = (performance.now() - began) / (SECONDS * 1000)) {
    await page.evaluate((share) => {
      const body = document.querySelector('.grid-body')
      if (body) body.scrollTop = body.scrollHeight * share
    }, part)
    await sleep(16)
  }
}

async function moveMap(page: Page): Promise<void> {
  const place = await page.locator('.map-canvas').first().boundingBox()
  if (!place) throw new Error('the map has no place')
  const [x, y] = [place.x + place.width / 2, place.y + place.height / 2]
  for (let turn = 0, until = performance.now() + SECONDS * 1000; performance.now() < until; turn++) {
    await page.mouse.move(x, y)
    await page.mouse.wheel(0, turn % 2 === 0 ? -240 : 240)
    await page.mouse.down()
    await page.mouse.move(x + 160, y + 80, { steps: 12 })
    await page.mouse.up()
  }
}

async function reload(page: Page): Promise<void> {
  await page.reload()
  await page.locator('.grid-rows [role=row]').first().waitFor()
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  )
  console.log(`First contentful paint of the warm page: ${paint?.toFixed(0)} ms of wall time.`)
}
