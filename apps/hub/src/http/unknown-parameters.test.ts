import { afterEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const misspelled = 'Ignored unknown parameter "lmit"; did you mean "limit"?'

it('a misspelled parameter is reported with the nearest name', async () => {
  hub = await startHub()
  const { status, json, headers } = await hub.get('/mcp/events?lmit=5')
  expect(status).toBe(200)
  expect(json.warnings).toEqual([misspelled])
  expect(headers.get('tapdeck-warning')).toBe(misspelled)
  const none = await hub.get('/api/snapshots?limit=5')
  expect(none.json.warnings).toEqual(['Ignored unknown parameter "limit"; this operation has no parameters'])
})

it('a misspelled key of a body is reported as well', async () => {
  hub = await startHub()
  const bytes = captureFile(httpPackets({ requests: 1 }))
  await hub.send('POST', '/api/snapshots/s/import', bytes)
  const job = { snapshot_name: 's', dissection_name: 'd', kfI: 'http' }
  const started = await hub.send('POST', '/api/dissections', job)
  expect(started.json).toMatchObject({ success: true, warnings: [expect.stringContaining('"kfl"')] })
})

it('known and underscored names are not reported, nor what no header can carry', async () => {
  hub = await startHub()
  const known = await hub.get('/mcp/events?limit=5&_=1700000000')
  expect(known.json).not.toHaveProperty('warnings')
  expect(known.headers.has('tapdeck-warning')).toBe(false)
  const odd = await hub.get(`/mcp/events?${'%C3%A4%0A'.repeat(100)}=1`)
  expect(odd.status).toBe(200)
  expect(odd.headers.get('tapdeck-warning')).toMatch(/^[ -~]{1,300}$/)
})
