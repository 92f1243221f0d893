import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { findingsAtBothWidths } from './findings.ts'
import { incidentCapture } from './incident-capture.ts'
import { browserPath, launch, visit } from './visit.ts'

const patience = { timeout: 90_000, interval: 200 }

/** Views that need no captured traffic: everything here comes from a file that is imported. */
describe.skipIf(!browserPath())('the dashboard with an imported incident', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck
  const card = (page: Page) => page.getByRole('article', { name: 'Snapshot incident' })

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

  test('a file becomes a snapshot, is dissected twice, and the two are compared', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#snapshots`)
    await page.getByLabel(/^Drop pcap/).setInputFiles({
      name: 'Incident.pcap',
      mimeType: 'application/octet-stream',
      buffer: incidentCapture(),
    })
    await card(page).getByText('completed').waitFor()
    for (const name of ['all', 'all-2']) {
      await card(page).getByRole('button', { name: 'Dissect incident' }).click()
      await page.keyboard.press('Enter')
      await expect
        .poll(() => tapdeck.get(`/api/dissections/incident/${name}`), patience)
        .toMatchObject({ status: 'completed', call_count: 240 })
    }
    const compare = page.getByRole('region', { name: 'Compare two dissections' })
    await compare.getByRole('button', { name: 'Compare' }).click()
    await compare.getByText('No service changed beyond chance.').waitFor()
    expect(troubles).toEqual([])
  })

  test('the cause is a suspect, with its calls a click away', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?db=incident%2Fall#suspects`)
    const first = page.getByRole('article', { name: 'Suspect 1', exact: true })
    await first.getByText('high', { exact: true }).waitFor()
    await first.getByRole('heading', { name: /500/ }).waitFor()
    await first.getByRole('button', { name: 'Its calls: suspect 1' }).click()
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^120 calls/)
    await page.goBack()
    await first.getByRole('button', { name: 'Call 1 of suspect 1' }).click()
    await page.getByLabel('Details of the call').getByText('/orders/120').first().waitFor()
    expect(troubles).toEqual([])
  })

  test('the errors of a group lead to its failed calls, with a filter that people can read', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?db=incident%2Fall#stats`)
    await page.locator('td.of-errors').getByRole('button', { name: '120' }).click()
    await expect
      .poll(() => page.getByLabel('Filter calls').inputValue(), patience)
      .toMatch(/^[\w. ="&:]+ and failed$/)
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^120 calls/)
    expect(troubles).toEqual([])
  })

  test('a download is checked before it begins, and says how large it is', async () => {
    const { page } = await visit(browser, `${tapdeck.url}/#snapshots`)
    await card(page).getByRole('button', { name: 'pcap: download packets of incident' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('About').waitFor()
    await dialog.getByLabel(/BPF/).fill('tcp prot 80')
    await dialog.getByText('At most').waitFor()
    await dialog.getByRole('button', { name: 'Download' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(/BPF/).fill('tcp port 80')
    const download = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).toBe('incident.pcapng')
  })

  test('capture targets are previewed, applied and reset', async () => {
    const names = {
      source: 'test',
      pods: [{ name: 'cart-0', namespace: 'shop', ips: ['10.1.1.1'] }],
      services: [],
    }
    await fetch(`${tapdeck.url}/api/inventory`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(names),
    })
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#settings`)
    const targets = page.getByRole('form', { name: 'Capture targets' })
    await targets.getByLabel('Pods whose name matches').fill('^cart-')
    await targets.getByText('shop/cart-0').waitFor()
    await targets.getByLabel('Only namespaces').fill('bank')
    await targets.getByText('0 pods match').waitFor()
    await targets.getByRole('button', { name: 'Apply' }).click()
    await expect
      .poll(() => tapdeck.get('/api/targets'), patience)
      .toMatchObject({ regex: '^cart-', namespaces: ['bank'], source: 'caller' })
    await targets.getByRole('button', { name: 'Reset to the configuration' }).click()
    await expect
      .poll(() => tapdeck.get('/api/targets'), patience)
      .toMatchObject({ namespaces: [], source: 'configuration' })
    expect(troubles).toEqual([])
  })

  test.each(['light', 'dark'] as const)(
    'axe finds nothing serious on these views, %s',
    async (colorScheme) => {
      const { page } = await visit(browser, `${tapdeck.url}/?db=incident%2Fall#suspects`)
      await page.emulateMedia({ colorScheme })
      await page.getByRole('article', { name: 'Suspect 1', exact: true }).waitFor()
      expect(await findingsAtBothWidths(page), 'suspects').toEqual([])
      await page.getByRole('link', { name: 'Snapshots' }).click()
      await card(page).waitFor()
      expect(await findingsAtBothWidths(page), 'snapshots').toEqual([])
      await page.getByRole('link', { name: 'Settings' }).click()
      await page.getByRole('form', { name: 'Capture targets' }).waitFor()
      expect(await findingsAtBothWidths(page), 'settings').toEqual([])
    },
  )

  test('a phone scrolls these views down only', async () => {
    const { page } = await visit(browser, `${tapdeck.url}/?db=incident%2Fall#suspects`, {
      width: 390,
      height: 844,
    })
    const isWithin = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    await page.getByRole('article', { name: 'Suspect 1', exact: true }).waitFor()
    expect(await isWithin()).toBe(true)
    await page.getByRole('link', { name: 'Snapshots' }).click()
    await card(page).waitFor()
    expect(await isWithin()).toBe(true)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('form', { name: 'Capture targets' }).waitFor()
    expect(await isWithin()).toBe(true)
  })
})
