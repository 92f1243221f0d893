import { readFileSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import { keysReport } from '../testing/keys-report.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const bucket = bucketForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')
const names = (text: string) => new Set(text.match(/\b(?:tapdeck|process)_[a-z_]+[a-z]\b/g))

it('the dashboard and the alert rules use only metrics that exist, and all that exist are documented', async () => {
  hub = await startHub({ set: bucket.settings })
  const process = { memory_bytes: 5000, cpu_seconds: 1.5 }
  const live = { lag_ms: 250, waiting_blocks: 7 }
  await hub.worker('n1', {}, { process, live, loss: { gaps: 1 }, tls_keys: keysReport })
  await hub.send('POST', '/api/recordings', { name: 'one' })
  const { text } = await hub.get('/metrics')
  const existing = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
  expect(existing.size).toBeGreaterThan(40)
  for (const file of ['deploy/grafana/tapdeck.json', 'deploy/alerts/tapdeck.yaml']) {
    const used = [...names(read(file))]
    expect(used.length).toBeGreaterThan(5)
    expect(used.filter((name) => !existing.has(name))).toEqual([])
  }
  const documented = names(read('docs/metrics.md'))
  expect([...existing].filter((name) => !documented.has(name))).toEqual([])
})
