import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { findings } from './findings.ts'
import { importCapture } from './imported.ts'
import { browserPath, launch, visit } from './visit.ts'

const patience = { timeout: 90_000, interval: 200 }
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true })
const panel = (page: Page) => page.getByRole('tabpanel')
const filterOf = (kfl: string) => encodeURIComponent(kfl)

describe.skipIf(!browserPath())('the details of a call', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck

  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start([
      'tap.capture.dissection.enabled=false',
      'tap.capture.raw.enabled=false',
    ])
    await importCapture(tapdeck, 'graphql', 'graphql/captures/http1.pcap')
    await importCapture(tapdeck, 'postgresql', 'postgresql/captures/extended.pcap')
    await importCapture(tapdeck, 'grpc', 'grpc/captures/calls.pcap')
  }, 400_000)
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  async function open(db: string, kfl: string) {
    const seen = await visit(browser, `${tapdeck.url}/?db=${db}%2Fall&q=${filterOf(kfl)}`)
    await seen.page.locator('.row').first().click()
    await tab(seen.page, 'Overview').waitFor()
    return seen
  }

  test('its tabs are moved through by keyboard, and are in the address', async () => {
    const { page, troubles } = await open('graphql', 'graphql_operation_name == "AddItem"')
    await tab(page, 'Overview').focus()
    await page.keyboard.press('ArrowRight')
    expect(await tab(page, 'Request').getAttribute('aria-selected')).toBe('true')
    expect(page.url()).toContain('tab=request')
    await panel(page).getByText('mutation AddItem {').waitFor()
    await page.keyboard.press('ArrowRight')
    const search = panel(page).getByLabel('Search in Body of the response')
    await search.fill('tea')
    await panel(page).getByText('1 match').waitFor()
    await panel(page).locator('mark', { hasText: 'tea' }).waitFor()
    await tab(page, 'Response').focus()
    await page.keyboard.press('End')
    expect(await tab(page, 'Related').getAttribute('aria-selected')).toBe('true')
    await page.reload()
    await panel(page).getByText('Upstream').waitFor()
    expect(await tab(page, 'Related').getAttribute('aria-selected')).toBe('true')
    expect(troubles).toEqual([])
  })

  test('the connection has its health and its other calls, which lead to them', async () => {
    const { page, troubles } = await open('graphql', 'graphql_operation_name == "AddItem"')
    await tab(page, 'Timing').click()
    await panel(page).getByText('Waiting for the first byte').waitFor()
    await tab(page, 'Connection').click()
    await panel(page).getByText('Healthy: no retransmission').waitFor()
    const before = page.url()
    await panel(page).getByRole('button', { name: 'POST /search' }).first().click()
    await expect.poll(() => page.url(), patience).not.toBe(before)
    await page.locator('.details-title', { hasText: '/search' }).waitFor()
    expect(await tab(page, 'Connection').getAttribute('aria-selected')).toBe('true')
    expect(troubles).toEqual([])
  })

  test('its packets are listed, with the bytes of a field marked', async () => {
    const { page, troubles } = await open('graphql', 'request.path == "/search"')
    await tab(page, 'Packets').click()
    await panel(page).getByText('SYN, ACK').waitFor()
    await panel(page).getByLabel('Mark').selectOption('request.path')
    await panel(page).getByText('Marked in this packet.').waitFor()
    expect(await panel(page).locator('.hex-view .found', { hasText: '/search' }).count()).toBe(1)
    await panel(page).getByRole('group', { name: 'Packets' }).focus()
    await page.keyboard.press('Home')
    await panel(page).getByText('It is in another packet.').waitFor()
    expect(await findings(page)).toEqual([])
    expect(troubles).toEqual([])
  })

  test('SQL is laid out once, and protobuf is read without its schema', async () => {
    const sql = await open('postgresql', 'proto == "postgresql" and path contains "insert into counts"')
    await tab(sql.page, 'Statement').click()
    const statement = panel(sql.page).locator('pre')
    expect(await statement.textContent()).toContain('\ninsert into counts\nvalues (1, 0), (2, 0)')
    expect(await panel(sql.page).getByText('insert into counts').count()).toBe(1)
    const { page, troubles } = await open('grpc', 'grpc_method == "Add"')
    await tab(page, 'Request').click()
    await panel(page).getByText('sugar').waitFor()
    await panel(page).getByRole('button', { name: 'Hex' }).click()
    await panel(page).getByRole('group', { name: 'Body of the request' }).getByText('000000').waitFor()
    expect(await findings(page)).toEqual([])
    expect([...sql.troubles, ...troubles]).toEqual([])
  })

  test('the calls of the filter are saved as files', async () => {
    const kfl = 'request.path == "/search"'
    const { page, troubles } = await visit(browser, `${tapdeck.url}/?db=graphql%2Fall&q=${filterOf(kfl)}`)
    await page.locator('.row').nth(1).waitFor()
    await page.getByLabel('Export these calls').click()
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name }).click(),
      ])
      return readFileSync(await download.path(), 'utf8')
    }
    const csv = (await saved('CSV')).trimEnd().split('\r\n')
    expect(csv).toHaveLength(3)
    expect(csv[1]).toContain(',http,POST,/search,200,')
    const ndjson = (await saved('NDJSON')).trimEnd().split('\n')
    expect(ndjson.map((line) => JSON.parse(line).request.path)).toEqual(['/search', '/search'])
    const har = JSON.parse(await saved('HAR'))
    expect(har.log.entries).toHaveLength(2)
    await page.getByText('2 calls saved.').waitFor()
    const [packets] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'pcapng' }).click(),
    ])
    // The first word of a pcapng file.
    expect(readFileSync(await packets.path()).readUInt32LE(0)).toBe(0x0a0d0d0a)
    expect(await findings(page)).toEqual([])
    expect(troubles).toEqual([])
  })

  test('a value is left out of the filter, or is another way to match, with a click', async () => {
    const { page } = await open('graphql', 'request.path == "/search"')
    const filter = page.getByLabel('Filter calls')
    await tab(page, 'Request').click()
    await panel(page).getByRole('button', { name: 'Filter by request.method != "POST"' }).click()
    await expect
      .poll(() => filter.inputValue(), patience)
      .toBe('request.path == "/search" and request.method != "POST"')
    await panel(page).getByRole('button', { name: 'Or request.method == "POST"' }).click()
    await expect
      .poll(() => filter.inputValue(), patience)
      .toBe('(request.path == "/search" and request.method != "POST") or request.method == "POST"')
  })
})
