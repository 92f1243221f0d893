import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RunningTapdeck } from '../running-tapdeck.ts'
import { findingsAtBothWidths } from './findings.ts'
import { importCapture } from './imported.ts'
import { browserPath, launch, visit } from './visit.ts'

const patience = { timeout: 90_000, interval: 200 }

describe.skipIf(!browserPath())('the settings, for an administrator', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck
  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start(['tap.auth.enabled=true', 'tap.capture.dissection.stopAfter=0'])
  })
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  async function logIn(role: string): Promise<{ page: Page; troubles: readonly string[] }> {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#settings`)
    await page.getByLabel('API token', { exact: true }).fill(tapdeck.token(role))
    await page.getByRole('button', { name: 'Use token' }).click()
    await page.getByRole('region', { name: 'Roles', exact: true }).waitFor()
    return { page, troubles }
  }
  const whoami = (token: string) =>
    fetch(`${tapdeck.url}/api/whoami`, { headers: { authorization: `Bearer ${token}` } })

  test.each(['light', 'dark'] as const)(
    'a wrong token is refused with what to do, and axe finds nothing serious, %s',
    async (colorScheme) => {
      const { page, troubles } = await visit(browser, tapdeck.url)
      await page.emulateMedia({ colorScheme })
      await page.getByLabel('API token', { exact: true }).fill('tpd_wrong')
      await page.getByRole('button', { name: 'Use token' }).click()
      await page.getByText('This token is not known here.').waitFor()
      expect(await findingsAtBothWidths(page)).toEqual([])
      expect(troubles).toEqual([])
    },
  )

  test('a token is made, shown once, used, found in the audit log, and revoked', async () => {
    const { page, troubles } = await logIn('svc-admin')
    const part = page.getByRole('region', { name: 'API tokens' })
    await part.getByLabel('Name', { exact: true }).fill('grafana')
    await part.getByRole('button', { name: 'Make a token' }).click()
    const token = (await part.getByRole('status').locator('code').textContent()) ?? ''
    expect((await whoami(token)).status).toBe(200)
    const entry = part.getByRole('listitem', { name: 'Token grafana' })
    await entry.getByText('svc-viewer').waitFor()

    const audit = page.getByRole('region', { name: 'Audit log', exact: true })
    await audit.getByLabel('Operation contains').fill('create_token')
    await audit.getByRole('button', { name: 'Read again' }).click()
    await audit.getByRole('cell', { name: 'create_token' }).first().waitFor()
    expect(await audit.textContent()).not.toContain(token)

    await entry.getByRole('button', { name: 'Revoke the token grafana' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await entry.waitFor({ state: 'detached' })
    expect((await whoami(token)).status).toBe(401)
    expect(troubles).toEqual([])
  })

  test('the configuration says where a value comes from', async () => {
    const { page } = await logIn('svc-admin')
    const part = page.getByRole('region', { name: 'Configuration', exact: true })
    const row = (key: string) => part.getByRole('row').filter({ hasText: key })
    await row('tap.auth.enabled').getByText('argument --set').waitFor()
    await row('hub.port').getByText('argument --port').waitFor()
    await part.getByLabel('Find a key').fill('storageSize')
    await row('tap.capture.raw.storageSize').getByText('default', { exact: true }).waitFor()
  })

  test('a role without access:manage sees the reason', async () => {
    const { page } = await logIn('svc-viewer')
    for (const name of ['API tokens', 'Audit log', 'Configuration', 'Redaction'])
      await page.getByRole('region', { name, exact: true }).getByText('lacks access:manage').first().waitFor()
  })

  test.each(['light', 'dark'] as const)('axe finds nothing serious, %s', async (colorScheme) => {
    const { page } = await logIn('svc-admin')
    await page.emulateMedia({ colorScheme })
    await page.getByRole('region', { name: 'Keys of the configuration' }).waitFor()
    await page.getByRole('region', { name: 'Entries of the audit log' }).waitFor()
    expect(await findingsAtBothWidths(page)).toEqual([])
  })
})

describe.skipIf(!browserPath())('the settings of a hub without authentication', () => {
  let browser: Browser
  let tapdeck: RunningTapdeck
  beforeAll(async () => {
    browser = await launch()
    tapdeck = await RunningTapdeck.start([
      'tap.capture.dissection.enabled=false',
      'tap.capture.dissection.stopAfter=0',
    ])
    await importCapture(tapdeck, 'shop', 'http/captures/keep-alive.pcap')
  })
  afterAll(async () => {
    await browser?.close()
    await tapdeck?.stop()
  })

  test('an agent is made, tested, edited, and has a history', async () => {
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#settings`)
    const part = page.getByRole('region', { name: 'Network agents' })
    await part.getByRole('button', { name: 'New agent' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('watch')
    await dialog.getByLabel('Filter').fill('http and error')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const card = part.getByRole('article', { name: 'Network agent watch' })
    await card.getByRole('button', { name: 'Test the agent watch' }).click()
    await card.getByRole('list', { name: 'Test of the agent watch' }).getByText('log of the hub').waitFor()
    await card.getByRole('button', { name: 'Edit the agent watch' }).click()
    await dialog.getByLabel('Filter').fill('dns')
    await dialog.getByLabel('Add an action').selectOption('metric')
    await dialog.getByLabel('Name of the metric').fill('lookups')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => tapdeck.get('/api/agents/watch'), patience)
      .toMatchObject({ kfl: 'dns', actions: [{ kind: 'log' }, { kind: 'metric', name: 'lookups' }] })
    await card.getByText('History of watch').click()
    for (const kind of ['tested', 'edited', 'created']) await card.getByText(kind, { exact: true }).waitFor()
    expect(troubles).toEqual([])
  })

  test('redaction is tried on a call', async () => {
    const { calls } = (await tapdeck.get('/api/calls?db=shop/all&limit=1')) as { calls: { id: string }[] }
    const { page, troubles } = await visit(browser, `${tapdeck.url}/#settings`)
    const part = page.getByRole('region', { name: 'Redaction' })
    const address = `${tapdeck.url}/?db=shop%2Fall&call=${encodeURIComponent(calls[0]?.id ?? '')}`
    await part.getByLabel(/^Call:/).fill(address)
    await part.getByLabel('Headers').fill('host')
    await part.getByRole('button', { name: 'Try' }).click()
    await part.getByText('request.headers.host').waitFor()
    await part.getByText('headers: host').first().waitFor()
    expect(troubles).toEqual([])
  })

  test('no token can be made, and the page says how', async () => {
    const { page } = await visit(browser, `${tapdeck.url}/#settings`)
    await page.getByRole('region', { name: 'API tokens' }).getByText('tap.auth.enabled: true').waitFor()
  })
})
