import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { makeTraffic } from './traffic.ts'
import { browserPath, launch, visit } from './visit.ts'

const mayCapture = process.getuid?.() === 0
const patience = { timeout: 90_000, interval: 200 }

/** What is kept of live traffic: recordings, and the packets of a call. */
describe.skipIf(!browserPath() || !mayCapture)('live traffic that is kept', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck

  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start([
      'tap.capture.dissection.enabled=true',
      'tap.capture.dissection.stopAfter=0',
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  test('a recording is started, stopped, opened and deleted', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#recordings`)
    await page.getByText('No recordings yet').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('plums')
    await page.getByLabel('Filter', { exact: true }).fill('request.path contains "/plums/"')
    await page.getByRole('button', { name: 'Start recording' }).click()
    const card = page.getByRole('article', { name: 'Recording plums' })
    await card.getByText('running').waitFor()
    await makeTraffic('plums', 10)
    await card.getByText('10 calls seen live').waitFor()
    await card.getByRole('button', { name: 'Stop the recording plums' }).click()
    await card.getByText('stopped').waitFor()
    // Enabled when its calls are dissected.
    await card.getByRole('button', { name: 'Show the calls of plums' }).click()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^10 calls/)
    await page.goBack()
    await card.getByRole('button', { name: 'Delete the recording plums' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.poll(() => card.count(), patience).toBe(0)
    expect(troubles).toEqual([])
  })

  test('the packets of a live call are taken out of the recording ring', async () => {
    await makeTraffic('quinces', 1)
    const quinces = encodeURIComponent('request.path contains "/quinces/"')
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${quinces}`)
    await page.locator('.grid-rows [role=row]').first().click()
    await page.getByRole('tab', { name: 'Packets' }).click()
    await page.getByRole('button', { name: 'Keep and show the packets' }).click()
    const packets = page.getByRole('group', { name: 'Packets' })
    await packets.getByText('SYN, ACK').waitFor()
    await page.getByRole('link', { name: 'Download pcapng' }).waitFor()
    expect(troubles).toEqual([])
  })
})
