import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { findings } from './findings.ts'
import { importBytes } from './imported.ts'
import { listCapture } from './list-capture.ts'
import { browserPath, launch, visit } from './visit.ts'

const patience = { timeout: 90_000, interval: 200 }
const at = '/?db=books%2Fall'

/** The list and the filter box, with calls that are the same on every machine. */
describe.skipIf(!browserPath())('the list of calls', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck
  const heads = (page: Page) => page.getByRole('columnheader').allTextContents()
  const menu = (page: Page) => page.getByLabel('Columns, groups and colours')
  const rows = (page: Page) => page.locator('.grid-rows [role=row]')

  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start([
      'tap.capture.dissection.enabled=false',
      'tap.capture.dissection.stopAfter=0',
    ])
    await importBytes(tapdeck, 'books', listCapture())
  })
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  test('columns are hidden, moved and added, and survive a reload', async () => {
    const { page, troubles } = await visit(browser, tapdeck.url + at)
    await rows(page).first().waitFor()
    await menu(page).click()
    await page.getByRole('checkbox', { name: 'Method' }).click()
    await page.getByRole('button', { name: 'Move Status to the left' }).click()
    await page.getByLabel('Field to add as a column').fill('request.heders')
    await page.keyboard.press('Enter')
    await page.getByText('No field is named request.heders').waitFor()
    await page.getByLabel('Field to add as a column').fill('request.headers["Host"]')
    await page.keyboard.press('Enter')
    const wanted = [
      'Time',
      'Protocol',
      'Status',
      'Path',
      'Source and destination',
      'Latency',
      'request.headers["Host"]',
    ]
    await expect.poll(() => heads(page), patience).toEqual(wanted)
    await page.getByRole('gridcell', { name: 'books-9', exact: true }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('gridcell', { name: 'books-9', exact: true }).first().waitFor()
    expect(await heads(page)).toEqual(wanted)
    await menu(page).click()
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to the first look' }).click()
    await expect.poll(async () => (await heads(page)).length, patience).toBe(7)
    expect(troubles).toEqual([])
  })

  test('a column is resized with the pointer and with keys, and kept', async () => {
    const { page } = await visit(browser, tapdeck.url + at)
    await rows(page).first().waitFor()
    const head = page.getByRole('columnheader', { name: 'Path' })
    const width = async () => Math.round((await head.boundingBox())?.width ?? 0)
    const edge = page.getByRole('separator', { name: 'Width of the column Path' })
    const place = await edge.boundingBox()
    if (!place) throw new Error('the edge has no place')
    const before = await width()
    await page.mouse.move(place.x + 4, place.y + 10)
    await page.mouse.down()
    await page.mouse.move(place.x - 96, place.y + 10, { steps: 4 })
    await page.mouse.up()
    await expect.poll(width, patience).toBeLessThan(before - 80)
    const dragged = await width()
    await edge.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(width, patience).toBe(dragged + 12)
    await page.reload()
    await expect.poll(width, patience).toBe(dragged + 12)
    await edge.focus()
    await page.keyboard.press('Home')
    await expect.poll(width, patience).toBe(before)
  })

  test('calls are grouped by connection and by trace, and a group opens by keyboard', async () => {
    const { page, troubles } = await visit(browser, tapdeck.url + at)
    await expect.poll(() => page.locator('.list-note').textContent(), patience).toMatch(/^30 calls/)
    await menu(page).click()
    await page.getByLabel('Group by').selectOption('connection')
    await page.keyboard.press('Escape')
    await expect.poll(() => rows(page).count(), patience).toBe(10)
    expect(await rows(page).first().textContent()).toMatch(/^3 calls1 failed/)
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => rows(page).count(), patience).toBe(13)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByLabel('Details of the call').getByText('/books/9/2').first().waitFor()
    await page.keyboard.press('Escape')

    await menu(page).click()
    await page.getByLabel('Group by').selectOption('trace')
    await page.keyboard.press('Escape')
    await expect.poll(() => rows(page).count(), patience).toBe(5)
    expect(await rows(page).first().textContent()).toMatch(/^6 calls2 failed/)
    await rows(page).first().click()
    await expect.poll(() => rows(page).count(), patience).toBe(11)
    expect(await findings(page)).toEqual([])
    expect(troubles).toEqual([])
  })

  test('calls that match a colour rule have its colour', async () => {
    const { page } = await visit(browser, tapdeck.url + at)
    await rows(page).first().waitFor()
    await menu(page).click()
    await page.getByLabel('Colour', { exact: true }).selectOption('violet')
    await page
      .getByLabel('Filter of the calls that get the colour')
      .fill('request.headers["host"] == "books-3"')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.row.rule-violet').count(), patience).toBe(3)
    expect(await page.locator('.row.rule-violet').first().textContent()).toContain('/books/3/2')
    await page.getByRole('button', { name: /^Remove the colour of/ }).click()
    await expect.poll(() => page.locator('.row.rule-violet').count(), patience).toBe(0)
  })

  test('a phone shows chosen columns and the menu without scrolling sideways', async () => {
    const { page } = await visit(browser, tapdeck.url + at, { width: 400, height: 800 })
    await rows(page).first().waitFor()
    const isWithin = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
    await menu(page).click()
    await page.getByLabel('Field to add as a column').fill('request.headers["host"]')
    await page.keyboard.press('Enter')
    const box = await page.locator('.list-menu').boundingBox()
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(400)
    await page.keyboard.press('Escape')
    await page.getByRole('gridcell', { name: 'books-9' }).first().waitFor()
    expect(await isWithin()).toBe(true)
  })

  test('a filter is shared through the hub, used in another browser, and deleted', async () => {
    const kfl = 'request.path contains "/books/4/"'
    const { page, troubles } = await visit(browser, `${tapdeck.url}${at}&q=${encodeURIComponent(kfl)}`)
    await expect.poll(() => rows(page).count(), patience).toBe(3)
    await page.getByRole('button', { name: 'Saved and recent filters' }).click()
    await page.getByLabel('Name of the shared filter').fill('Fourth: errors & all')
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('button', { name: /^Fourth: errors & all/ }).waitFor()
    expect(await findings(page)).toEqual([])

    const { page: other } = await visit(browser, tapdeck.url + at)
    await expect.poll(() => other.locator('.list-note').textContent(), patience).toMatch(/^30 calls/)
    await other.getByRole('button', { name: 'Saved and recent filters' }).click()
    await other.getByRole('button', { name: /^Fourth: errors & all/ }).click()
    await expect.poll(() => rows(other).count(), patience).toBe(3)
    expect(await other.getByLabel('Filter calls').inputValue()).toBe(kfl)

    await page.getByRole('button', { name: 'Delete the shared filter Fourth: errors & all' }).click()
    await page.getByText('No filter is shared yet.').waitFor()
    expect(await tapdeck.get('/api/saved-filters')).toEqual({ filters: [] })
    expect(troubles).toEqual([])
  })

  test('the field under the caret is explained, until the filter is applied', async () => {
    const { page } = await visit(browser, tapdeck.url + at)
    await rows(page).first().waitFor()
    await page.getByLabel('Filter calls').fill('response.status == 500')
    await page.keyboard.press('Home')
    const doc = page.locator('.field-doc')
    await expect.poll(() => doc.textContent(), patience).toContain('Status: a number (500)')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows(page).count(), patience).toBe(10)
    await expect.poll(() => doc.count(), patience).toBe(0)
  })
})
