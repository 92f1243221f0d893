import { spawn } from 'node:child_process'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { findingsAtBothWidths } from './findings.ts'
import { makeTraffic } from './traffic.ts'
import { browserPath, hues, launch, visit } from './visit.ts'

const mayCapture = process.getuid?.() === 0
const resume = (page: Page) => page.getByRole('button', { name: 'Resume Traffic Indexing' })
const pause = (page: Page) => page.getByRole('button', { name: 'Pause Traffic Indexing' })
const filter = (page: Page) => page.getByLabel('Filter calls')
const apples = encodeURIComponent('request.path contains "/apples/"')
const patience = { timeout: 90_000, interval: 200 }
const rows = (page: Page, text: string) => page.locator('[role=row]', { hasText: text })

describe.skipIf(!browserPath())('the dashboard', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck

  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start([
      'tap.capture.dissection.enabled=false',
      'tap.capture.dissection.stopAfter=0',
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  test('the button stands top left, green while paused, red while active, and every browser follows', async () => {
    const [one, other] = [await visit(browser, tapdeck.url), await visit(browser, tapdeck.url)]
    await resume(one.page).waitFor()
    const place = await resume(one.page).boundingBox()
    expect(place?.x).toBeLessThan(100)
    expect(place?.y).toBeLessThan(100)
    expect(await hues(resume(one.page))).toContain('green')

    await resume(one.page).click()
    await pause(one.page).waitFor()
    await pause(other.page).waitFor()
    expect(await hues(pause(one.page))).toContain('red')
    expect(await tapdeck.get('/api/dissection')).toMatchObject({ enabled: true })

    await pause(other.page).focus()
    await other.page.keyboard.press('Enter')
    await resume(one.page).waitFor()
    expect([...one.troubles, ...other.troubles]).toEqual([])
  })

  test('a paused, empty list says why and offers to resume', async () => {
    await tapdeck.post('/api/dissection/disable')
    const { page } = await visit(browser, `${tapdeck.url}/?q=${encodeURIComponent('path == "/nowhere"')}`)
    await page.getByText('Traffic indexing is paused').waitFor()
    await page.getByRole('button', { name: 'Resume indexing' }).click()
    await pause(page).waitFor()
  })

  test.skipIf(!mayCapture)(
    'calls appear as they happen; a filter narrows them and survives a reload',
    async () => {
      await tapdeck.post('/api/dissection/enable')
      const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${apples}`)
      await page.getByText('No call matches the filter').waitFor()
      await makeTraffic('apples', 60)
      await rows(page, '/apples/').nth(20).waitFor()

      await page.keyboard.press('/')
      await page.keyboard.press('End')
      await page.keyboard.type(' and response.status == 500')
      await page.keyboard.press('Enter')
      await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^12 calls/)
      await page.reload()
      await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^12 calls/)
      expect(await filter(page).inputValue()).toBe(
        'request.path contains "/apples/" and response.status == 500',
      )

      await makeTraffic('apples', 5)
      await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^13 calls/)
      expect(troubles).toEqual([])
    },
  )

  test.skipIf(!mayCapture)(
    'a call opens by keyboard, and a value of it becomes a part of the filter',
    async () => {
      const { page } = await visit(browser, `${tapdeck.url}/?q=${apples}`)
      await rows(page, '/apples/').first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      const details = page.getByLabel('Details of the call')
      await details.getByRole('tab', { name: 'Response' }).click()
      await details.getByText('"asked": "/apples/').waitFor()
      await details.getByRole('tab', { name: 'Request' }).click()
      await details.getByRole('button', { name: /^Filter by request\.headers\["x-visit"\] ==/ }).click()
      await expect
        .poll(() => filter(page).inputValue(), patience)
        .toMatch(/"\/apples\/" and request\.headers\["x-visit"\] == "\d+"$/)
      await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^[12] calls?/)
      await page.keyboard.press('Escape')
      await expect.poll(() => details.count(), patience).toBe(0)
    },
  )

  test.skipIf(!mayCapture)('“back” closes the details of a call and stays on the page', async () => {
    const { page } = await visit(browser, `${tapdeck.url}/?q=${apples}`, { width: 390, height: 844 })
    const details = page.getByLabel('Details of the call')
    await rows(page, '/apples/').first().click()
    await details.waitFor()
    await page.goBack()
    await expect.poll(() => details.count(), patience).toBe(0)
    expect(page.url()).toContain(apples.slice(0, 8))

    await rows(page, '/apples/').nth(1).click()
    await details.getByRole('button', { name: 'Close the details' }).click()
    await expect.poll(() => details.count(), patience).toBe(0)
    await page.goForward()
    await details.waitFor()
  })

  test.skipIf(!mayCapture)('figures are grouped, and a group leads to its calls', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${apples}#stats`)
    await page.getByLabel('Group by').selectOption('status')
    // By its button: a latency may have these digits too.
    const row = page.locator('tbody tr', { has: page.getByRole('button', { name: '500', exact: true }) })
    await expect.poll(() => row.locator('td').first().textContent(), patience).toBe('13')
    await row.getByRole('button', { name: '500' }).click()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^13 calls/)
    await page.goBack()
    await row.waitFor()
    expect(troubles).toEqual([])
  })

  test.skipIf(!mayCapture)('the recording is searched while indexing is paused', async () => {
    await tapdeck.post('/api/dissection/disable')
    await makeTraffic('pears', 20)
    const pears = encodeURIComponent('request.path contains "/pears/"')
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${pears}`)
    await page.getByRole('button', { name: 'Search the recording ring' }).click()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^20 calls/)
    await rows(page, '/pears/').first().click()
    await page.getByRole('tab', { name: 'Response' }).click()
    await page.getByLabel('Details of the call').getByText('"asked": "/pears/').waitFor()

    await page.getByLabel(/^Time range/).click()
    await page.getByRole('button', { name: 'Last 15m' }).click()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^20 calls/)
    const url = page.url()
    expect(url).toMatch(/db=recording&start=\d+&end=\d+/)
    await page.reload()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^20 calls/)
    expect(page.url()).toBe(url)
    expect(await tapdeck.get('/api/dissection')).toMatchObject({ enabled: false })
    await tapdeck.post('/api/dissection/enable')
    expect(troubles).toEqual([])
  })

  test.skipIf(!mayCapture)(
    'a window is brushed in the chart, undone by “back”, and kept with one click',
    async () => {
      await tapdeck.post('/api/dissection/enable')
      await makeTraffic('plums', 20)
      const plums = encodeURIComponent('request.path contains "/plums/"')
      const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${plums}`)
      const chart = page.getByRole('img', { name: /Calls over time/ })
      await expect.poll(() => chart.getAttribute('aria-label'), patience).toContain('20 calls, 4 errors')
      const brush = async () => {
        const place = await chart.boundingBox()
        if (!place) return page.url()
        const middle = place.y + place.height / 3
        await page.mouse.move(place.x + place.width * 0.5, middle)
        await page.mouse.down()
        await page.mouse.move(place.x + place.width * 0.8, middle, { steps: 5 })
        await page.mouse.up()
        return page.url()
      }
      // Again where the page moved under the pointer.
      await expect.poll(brush, { ...patience, interval: 1000 }).toMatch(/start=\d+&end=\d+/)
      await page.getByRole('button', { name: 'Back to live' }).waitFor()
      expect(await page.getByRole('button', { name: 'Freeze list' }).count()).toBe(0)
      const brushed = page.url()
      await page.getByRole('button', { name: 'Zoom out' }).click()
      await expect.poll(() => page.url(), patience).not.toBe(brushed)
      await page.goBack()
      await expect.poll(() => page.url(), patience).toBe(brushed)
      await page.goBack()
      await page.getByRole('button', { name: 'Freeze list' }).waitFor()
      await page.getByRole('button', { name: 'Keep and dissect this window' }).click()
      await page.getByRole('status').getByRole('button', { name: 'Open' }).click()
      await expect.poll(() => page.url(), patience).toMatch(/db=window-[\d-]+%2Fall/)
      await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^20 calls/)
      expect(troubles).toEqual([])
    },
  )

  test.skipIf(!mayCapture)(
    'flows, events and nodes are on the page, and a flow leads to its calls',
    async () => {
      await tapdeck.post('/api/dissection/enable')
      const port = await makeTraffic('figs', 10)
      const { page, troubles } = await visit(browser, `${tapdeck.url}/#nodes`)
      const node = page.getByRole('article', { name: /^Node / })
      await node.getByText('indexes', { exact: true }).waitFor()
      await node.getByText('Recording ring:').waitFor()

      const started = spawn('sleep', ['600'])
      try {
        await page.getByRole('link', { name: 'Events' }).click()
        await page.getByLabel('Kind of events').selectOption('os')
        // Connections of the same moment fill the first page of events: the process is found by its name.
        await page.getByLabel('Find events').fill('sleep 600')
        await page.getByRole('cell', { name: 'process start' }).first().waitFor()
      } finally {
        started.kill()
      }
      expect(page.url()).toContain('kind=os')

      await page.getByRole('link', { name: 'Flows' }).click()
      // Others on this machine talk too: the flow is found by its port.
      await page.getByLabel('Find flows').fill(`${port}`)
      await page.getByRole('button', { name: `127.0.0.1 to 127.0.0.1:${port}` }).click()
      await expect.poll(() => filter(page).inputValue(), patience).toContain(`dst.port == ${port}`)
      await rows(page, '/figs/').first().waitFor()
      expect(troubles).toEqual([])
    },
  )

  test.skipIf(!mayCapture)('the map shows who calls whom, and an edge leads to its calls', async () => {
    await tapdeck.post('/api/dissection/enable')
    await makeTraffic('kiwis', 10)
    const kiwis = encodeURIComponent('request.path contains "/kiwis/"')
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${kiwis}#map`)
    const map = page.getByRole('img', { name: /^Map of / })
    await page.getByRole('button', { name: 'Outside one by one' }).click()
    await expect
      .poll(() => map.getAttribute('aria-label'), patience)
      .toContain('Map of 2 services and 1 edge')
    await page.getByLabel('Find on the map').fill('127.0.0.1:')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Show all, not only 127/ }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'As a table' }).click()
    await page.reload()
    await page.getByRole('button', { name: /127\.0\.0\.1 to 127\.0\.0\.1:/ }).click()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^10 calls/)
    expect(troubles).toEqual([])
  })

  test('a wrong filter is refused with the place and a way to mend it', async () => {
    const { page } = await visit(browser, tapdeck.url)
    await filter(page).fill('src.pood == "a"')
    await page.getByRole('button', { name: 'Use src.pod' }).click()
    expect(await filter(page).inputValue()).toBe('src.pod == "a"')
    await page.keyboard.press('Escape')
    await filter(page).fill('/orders')
    await page.getByRole('button', { name: 'request.path contains "/orders"' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => filter(page).inputValue(), patience).toBe('request.path contains "/orders"')
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page.keyboard.press('Escape')
    expect(await filter(page).inputValue()).toBe('')
  })

  test.skipIf(!mayCapture)('a snapshot is made, dissected, opened and deleted', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#snapshots`)
    await page.getByLabel('Name', { exact: true }).fill('orchard')
    // The first traffic of this file may be older than the default of five minutes on a busy host.
    await page.getByRole('button', { name: '1h', exact: true }).click()
    await page.getByRole('button', { name: 'Make snapshot' }).click()
    const card = page.getByRole('article', { name: 'Snapshot orchard' })
    await card.getByText('completed').waitFor()
    await card.getByRole('button', { name: 'Edit the snapshot orchard' }).click()
    await page.getByLabel('Tags').fill('keep harvest')
    await page.getByLabel('Notes').fill('Red ones.')
    await page.getByRole('button', { name: 'Save' }).click()
    await card.getByText('harvest').waitFor()
    await card.getByRole('paragraph').filter({ hasText: 'Red ones.' }).waitFor()
    await card.getByRole('button', { name: 'Dissect orchard' }).click()
    await page.keyboard.press('Enter')
    await card.getByRole('button', { name: 'Open orchard/all' }).click()
    await expect.poll(() => page.url(), patience).toContain('db=orchard%2Fall')
    await filter(page).fill('request.path contains "/apples/" and response.status == 500')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^13 calls/)

    await page.getByRole('link', { name: 'Snapshots' }).click()
    await card.getByRole('button', { name: 'Delete the snapshot orchard' }).click()
    await page.getByText('Its dissection is deleted too: all (').waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.poll(() => card.count(), patience).toBe(0)
    expect(troubles).toEqual([])
  })

  test.skipIf(!mayCapture)(
    'a window that is dragged over the recording ring becomes a snapshot',
    async () => {
      const { page, troubles } = await visit(browser, `${tapdeck.url}/#snapshots`)
      const tracks = page.getByRole('img', { name: /^Recorded from/ })
      const drag = async () => {
        const box = await tracks.boundingBox()
        if (!box) return false
        const middle = box.y + box.height / 2
        await page.mouse.move(box.x + 0.1 * box.width, middle)
        await page.mouse.down()
        await page.mouse.move(box.x + 0.9 * box.width, middle, { steps: 4 })
        await page.mouse.up()
        return page.getByLabel('From … to …').isChecked()
      }
      // Again where the page moved under the pointer.
      await expect.poll(drag, { ...patience, interval: 1000 }).toBe(true)
      await page.getByLabel('Name', { exact: true }).fill('dragged')
      await page.getByRole('button', { name: 'Make snapshot' }).click()
      await page.getByRole('article', { name: 'Snapshot dragged' }).getByText('completed').waitFor()
      expect(await tapdeck.get('/api/snapshots/dragged')).toMatchObject({
        status: 'completed',
        node_count: 1,
      })
      expect(troubles).toEqual([])
    },
  )

  test('a phone scrolls down only', async () => {
    const { page } = await visit(browser, tapdeck.url, { width: 390, height: 844 })
    await page.getByRole('button', { name: 'Traffic Indexing' }).waitFor()
    const isWithin = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    expect(await isWithin()).toBe(true)
    await page.getByRole('link', { name: 'Snapshots' }).click()
    await page.getByText('New snapshot').waitFor()
    expect(await isWithin()).toBe(true)
    await page.getByRole('link', { name: 'Stats' }).click()
    await page.getByLabel('Group by').waitFor()
    expect(await isWithin()).toBe(true)
    for (const view of ['Map', 'Flows', 'Events', 'Nodes']) {
      await page.getByRole('link', { name: view }).click()
      await page.getByRole('main').waitFor()
      expect(await isWithin(), view).toBe(true)
    }
    await page.goto(`${tapdeck.url}/?db=recording`)
    await page.getByLabel(/^Time range/).click()
    await page.getByRole('button', { name: 'Last 15m' }).waitFor()
    expect(await isWithin()).toBe(true)
  })

  test.each(['light', 'dark'] as const)(
    'axe finds nothing serious on any view, %s',
    async (colorScheme) => {
      const views = ['Calls', 'Map', 'Stats', 'Flows', 'Events', 'Nodes', 'Snapshots', 'Recordings']
      const { page } = await visit(browser, tapdeck.url)
      await page.emulateMedia({ colorScheme })
      for (const view of views) {
        await page.getByRole('link', { name: view }).click()
        await page.locator('main:not(:has(> .spinner))').waitFor()
        expect(await findingsAtBothWidths(page), view).toEqual([])
      }
    },
    600_000,
  )

  test('a viewer sees the button disabled, with the reason', async () => {
    const other = await RunningTapdeck.start([
      'tap.auth.defaultRole=svc-viewer',
      'tap.capture.dissection.enabled=false',
    ])
    try {
      const { page } = await visit(browser, other.url)
      await resume(page).waitFor()
      expect(await resume(page).isDisabled()).toBe(true)
      expect(await resume(page).getAttribute('title')).toContain('dissection:control')
    } finally {
      await other.stop()
    }
  })

  test('a lost hub is shown at once, and reconnected', async () => {
    const first = await RunningTapdeck.start(['tap.capture.dissection.enabled=false'])
    const { page } = await visit(browser, first.url)
    await resume(page).waitFor()
    await first.stop()
    await page.getByText('The connection to the hub is lost.').waitFor()
    await expect.poll(() => resume(page).isDisabled(), patience).toBe(true)
    const second = await RunningTapdeck.start(['tap.capture.dissection.enabled=true'], first.port)
    try {
      await pause(page).waitFor()
      await expect.poll(() => page.getByText('The connection to the hub is lost.').count(), patience).toBe(0)
    } finally {
      await second.stop()
    }
  })
})
