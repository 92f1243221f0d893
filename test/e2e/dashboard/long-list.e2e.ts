import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { importBytes } from './imported.ts'
import { manyCalls } from './many-calls.ts'
import { browserPath, launch, visit } from './visit.ts'

const patience = { timeout: 90_000, interval: 200 }
const at = '/?db=orders%2Fall'
const CALLS = 25_000

/** A list of more calls than a page keeps. `/orders/0` is the oldest and has the last row. */
describe.skipIf(!browserPath())('a long list of calls', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck

  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start([
      'tap.capture.dissection.enabled=false',
      'tap.capture.dissection.stopAfter=0',
    ])
    await importBytes(tapdeck, 'orders', manyCalls(CALLS))
  })
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  /** The rows on the screen as [number of the row, path]; nothing while one of them is being fetched. */
  const rows = (page: Page) =>
    page.evaluate(() => {
      const all = [...document.querySelectorAll('.grid-rows [role=row]')]
      if (all.some((row) => row.classList.contains('unloaded'))) return []
      return all.map((row) => [
        Number(row.getAttribute('aria-rowindex')) - 2,
        row.querySelector('.path')?.textContent ?? '',
      ])
    })
  const expected = (row: number) => [row, `/orders/${CALLS - 1 - row}`]
  const cursorRow = (page: Page) =>
    page.evaluate(() => Number(document.querySelector('.row.cursor')?.getAttribute('aria-rowindex')) - 2)

  test('its number of calls is the true one, and G leads to the oldest', async () => {
    const { page, troubles } = await visit(browser, tapdeck.url + at)
    await page.getByRole('status').getByText('25,000 calls', { exact: true }).waitFor()
    await expect.poll(async () => (await rows(page))[0], patience).toEqual(expected(0))
    await page.keyboard.press('G')
    await expect.poll(async () => (await rows(page)).at(-1), patience).toEqual(expected(CALLS - 1))
    await expect.poll(() => cursorRow(page), patience).toBe(CALLS - 1)
    await page.getByText('No older calls.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Details of the call').getByText('/orders/0').first().waitFor()
    await page.keyboard.press('k')
    await page.getByLabel('Details of the call').getByText('/orders/1', { exact: true }).first().waitFor()
    await page.keyboard.press('g')
    await expect.poll(async () => (await rows(page))[0], patience).toEqual(expected(0))
    await page
      .getByLabel('Details of the call')
      .getByText(`/orders/${CALLS - 1}`)
      .first()
      .waitFor()
    expect(troubles).toEqual([])
  })

  test('the scroll bar leads to its share of the rows, and every row shows its call', async () => {
    const { page } = await visit(browser, tapdeck.url + at)
    await expect.poll(async () => (await rows(page))[0], patience).toEqual(expected(0))
    for (const part of [0.5, 0.13, 0.9]) {
      await page.evaluate((share) => {
        const body = document.querySelector('.grid-body')
        if (body) body.scrollTop = (body.scrollHeight - body.clientHeight) * share
      }, part)
      const near = Math.round((CALLS - 20) * part)
      await expect
        .poll(async () => (await rows(page)).some(([row]) => Math.abs(Number(row) - near) < 20), patience)
        .toBe(true)
      // Rows that are still fetched have no path.
      await expect
        .poll(async () => {
          const shown = await rows(page)
          return shown.filter(([row, path]) => path !== expected(Number(row))[1])
        }, patience)
        .toEqual([])
    }
  })

  test('the chosen row stays chosen while the list is elsewhere', async () => {
    const { page } = await visit(browser, tapdeck.url + at)
    await expect.poll(async () => (await rows(page))[0], patience).toEqual(expected(0))
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
    await expect.poll(() => cursorRow(page), patience).toBe(2)
    for (const top of [400_000, 0])
      await page.evaluate((to) => document.querySelector('.grid-body')?.scrollTo(0, to), top)
    await expect.poll(async () => (await rows(page))[0], patience).toEqual(expected(0))
    await expect.poll(() => cursorRow(page), patience).toBe(2)
    await page.keyboard.press('j')
    await expect.poll(() => cursorRow(page), patience).toBe(3)
  })
})
