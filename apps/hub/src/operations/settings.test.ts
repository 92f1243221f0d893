import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let folder: string
let hub: TestHub
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-settings-'))
})
afterEach(async () => {
  await hub?.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Key {
  readonly key: string
  readonly value: unknown
  readonly source: object
}
const keys = async () => {
  const { keys } = (await hub.get('/api/configuration')).json as { keys: Key[] }
  return (name: string) => keys.find(({ key }) => key === name)
}

describe('the configuration as it runs', () => {
  it('has every key with its source, and no secret', async () => {
    const file = join(folder, 'values.yaml')
    writeFileSync(
      file,
      'tap:\n  capture: { dissection: { stopAfter: 9m } }\n  telemetry: { otlp: { headers: { x: pa55 } } }\n',
    )
    const set = ['tap.auth.oidc.clientSecret=pa55,tap.capture.raw.storageSize=2Gi']
    hub = await startHub({ files: [file], set })
    const answer = await hub.get('/api/configuration')
    expect(answer.text).not.toContain('pa55')
    expect(answer.json.files).toEqual([file])
    const key = await keys()
    expect(key('tap.capture.dissection.stopAfter')).toMatchObject({
      value: '9m',
      default: '5m',
      source: { kind: 'file', name: file },
    })
    expect(key('tap.capture.raw.storageSize')).toMatchObject({
      value: '2Gi',
      source: { kind: 'argument', name: '--set' },
      restart: expect.any(String),
    })
    expect(key('tap.auth.oidc.clientSecret')).toMatchObject({ value: '(hidden)', secret: true })
    expect(key('tap.telemetry.otlp.headers')).toMatchObject({ value: { x: '(hidden)' }, secret: true })
    expect(key('hub.queriesAtOnce')?.source).toEqual({ kind: 'default' })

    writeFileSync(file, 'tap: { capture: { dissection: { stopAfter: 11m }, snapLength: 2000 } }\n')
    await hub.reload()
    const changed = await keys()
    expect(changed('tap.capture.dissection.stopAfter')?.value).toBe('11m')
    // It needs a restart: the old value runs.
    expect(changed('tap.capture.snapLength')?.source).toEqual({ kind: 'default' })
  })
})

describe('redaction, tried on a call', () => {
  it('is that of tap.redaction, of a role, or of the request', async () => {
    hub = await startHub({
      set: ['tap.redaction.query={token}', 'tap.redaction.byRole.svc-viewer.patterns={orders}'],
    })
    const index = await IndexWorker.open('n1')
    await index.add([{ at: Date.now() - 1000, service: 'orders', path: '/orders?token=abc' }])
    await hub.worker('n1', index.answers)
    const [call] = (await hub.get('/api/calls')).json.calls
    const preview = (body: object) => hub.send('POST', '/api/redaction/preview', { id: call.id, ...body })
    const rules = async (body: object) => [
      ...new Set((await preview(body)).json.changes.map(({ rule }: { rule: string }) => rule)),
    ]
    // It was stored without rules; a worker of this hub would have applied them before.
    expect(await rules({})).toEqual(['query: token'])
    expect(await rules({ role: 'svc-viewer' })).toEqual(['patterns: orders'])
    expect(await rules({ role: 'svc-snapshot' })).toEqual([])
    expect(await rules({ rules: { patterns: ['^/orders'] } })).toEqual(['patterns: ^/orders'])
    expect((await preview({ role: 'svc-king' })).json.code).toBe('unknown_role')
    expect((await preview({ rules: { patterns: ['('] } })).json.code).toBe('bad_rule')
    expect((await preview({ role: 'svc-viewer', rules: {} })).status).toBe(400)
    for (const chosen of [{ rules: { bodies: true } }, { role: 'svc-snapshot' }])
      expect((await preview({ id: 'n1/99/0', ...chosen })).status).toBe(404)
    await index.close()
  })
})
