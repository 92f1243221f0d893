import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { findings } from './findings.ts'
import { browserPath, launch, visit } from './visit.ts'

const patience = { timeout: 90_000, interval: 200 }

/** What teaches: documentation in the page, hints, empty views. No traffic is needed. */
describe.skipIf(!browserPath())('the dashboard teaches', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck
  const text = (page: Page) => page.getByRole('article', { name: 'Documentation' })
  const hint = (page: Page) => page.getByRole('complementary', { name: 'Hint' })
  const title = (page: Page, name: string) => text(page).getByRole('heading', { name, exact: true })

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

  test('pages are listed, read, searched and linked, without a request to another host', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=http#docs`)
    await title(page, 'Tapdeck documentation').waitFor()
    const list = page.getByRole('navigation', { name: 'Pages of the documentation' })
    await list.getByRole('link', { name: 'KFL', exact: true }).click()
    await title(page, 'KFL, the filter language').waitFor()
    expect(new URL(page.url()).search).toBe('?q=http')

    await page.getByLabel('Search the documentation').fill('reasons of gaps')
    const results = page.getByRole('region', { name: 'Search results' })
    await results.getByRole('link', { name: /Reasons of gaps/ }).click()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.id), patience)
      .toBe('doc-reasons-of-gaps')
    expect(new URL(page.url()).hash).toBe('#docs/missing-data:reasons-of-gaps')
    await page.reload()
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.id), patience)
      .toBe('doc-reasons-of-gaps')
    await page.goBack()
    await title(page, 'KFL, the filter language').waitFor()
    expect(troubles).toEqual([])
  })

  test('a filter of a page is tried with a click, and "?" explains the view', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#docs/kfl`)
    const example = text(page).locator('.doc-filters button').first()
    const filter = await example.textContent()
    await example.click()
    await expect.poll(() => page.getByLabel('Filter calls').inputValue(), patience).toBe(filter)
    await page.getByRole('link', { name: 'Map', exact: true }).click()
    await page.getByLabel('Find on the map').waitFor()
    await page.keyboard.press('?')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id), patience).toBe('doc-map')
    await page.goBack()
    await page.getByLabel('Find on the map').waitFor()
    expect(troubles).toEqual([])
  })

  test('HTML in a page is shown, never run', async () => {
    const { page, troubles } = await visit(browser, tapdeck.url)
    const body =
      '# Bad\n\n<img src=x onerror="document.title=1"><script>document.title=1</script> [x](javascript:alert(1))\n'
    await page.route('**/docs/kfl.md', (route) => route.fulfill({ body, contentType: 'text/markdown' }))
    await page.goto(`${tapdeck.url}/#docs/kfl`)
    await text(page).getByText('<script>document.title=1</script>').waitFor()
    expect(await text(page).locator('img, script, a').count()).toBe(0)
    expect(await page.title()).toBe('Tapdeck')
    expect(troubles).toEqual([])
  })

  test('a hint is closed by keyboard and does not come back; the other views have theirs until all are closed', async () => {
    const { page, troubles } = await visit(browser, tapdeck.url)
    await hint(page).getByRole('button', { name: 'Got it' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => hint(page).count(), patience).toBe(0)
    await page.reload()
    await page.getByText('Traffic indexing is paused').waitFor()
    expect(await hint(page).count()).toBe(0)
    await page.getByRole('link', { name: 'Stats', exact: true }).click()
    await hint(page).getByRole('button', { name: 'No more hints' }).click()
    await page.getByRole('link', { name: 'Nodes', exact: true }).click()
    await page.locator('main.nodes').waitFor()
    expect(await hint(page).count()).toBe(0)
    expect(troubles).toEqual([])
  })

  test('an empty view says what would be there, why not, and what to do', async () => {
    const kfl = encodeURIComponent('path == "/nowhere"')
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?q=${kfl}#stats`)
    await page.getByText('The filter matches no call of this time.').waitFor()
    await page.getByRole('button', { name: 'Remove the filter' }).click()
    await page.getByText('Indexing is paused, so packets are recorded').waitFor()
    await page.getByRole('link', { name: 'Snapshots', exact: true }).click()
    await page.getByText('No snapshots yet').waitFor()
    await page.getByRole('link', { name: 'Read how this works' }).click()
    await title(page, 'Snapshots and dissections').waitFor()
    expect(troubles).toEqual([])
  })

  test('axe finds nothing serious in the documentation', async () => {
    const { page } = await visit(browser, `${tapdeck.url}/#docs/kfl`)
    await title(page, 'KFL, the filter language').waitFor()
    expect(await findings(page)).toEqual([])
  })

  test('a phone scrolls the documentation down only', async () => {
    const { page } = await visit(browser, `${tapdeck.url}/#docs/kfl-fields`, { width: 390, height: 844 })
    await text(page).locator('table').first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })
})
