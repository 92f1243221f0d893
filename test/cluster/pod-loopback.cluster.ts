import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { callsOf, dissectRecording } from './recorded-calls.ts'
import { apply, helm, kubectl, namespace, root } from './test-cluster.ts'

const KFL = '"side" in request.query'
const image = 'localhost/busybox:1.38'

beforeAll(async () => {
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  const values = ['--reuse-values', '--set', 'tap.capture.podLoopback=true']
  await helm('upgrade', 'tapdeck', chart, '-n', namespace, ...values)
  await kubectl('rollout', 'status', '-n', namespace, 'daemonset/tapdeck-worker', '--timeout=280s')
  const ask = 'while true; do wget -qO- "http://127.0.0.1:8085/?side=1" >/dev/null; sleep 1; done'
  await apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'sidecar', labels: { app: 'sidecar' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        { name: 'app', image, command: ['/bin/sh', '-c', 'exec httpd -f -p 127.0.0.1:8085 -h /www'] },
        { name: 'side', image, command: ['/bin/sh', '-c', ask] },
      ],
    },
  })
  await kubectl('wait', '--for=condition=Ready', 'pod/sidecar', '--timeout=180s')
})

test('the worker has SYS_ADMIN beside its other capabilities, without more privileges', async () => {
  const read = 'console.log(require("fs").readFileSync("/proc/self/status", "utf8"))'
  const status = await kubectl('exec', '-n', namespace, 'ds/tapdeck-worker', '--', 'node', '-e', read)
  expect(status).toMatch(/CapEff:\s+000000c000283004/)
  expect(status).toMatch(/NoNewPrivs:\s+1/)
})

test('requests between two containers of a pod on its loopback are calls of that pod', async () => {
  await expect.poll(async () => (await callsOf(KFL)).length).toBeGreaterThan(2)
  const address = (await kubectl('get', 'pod', 'sidecar', '-o', 'jsonpath={.status.podIP}')).trim()
  // A live call in the first seconds of a pod may have no name yet.
  const calls = await callsOf(KFL, await dissectRecording('loopback'))
  expect(calls.length).toBeGreaterThan(2)
  for (const { src, dst } of calls)
    for (const end of [src, dst]) expect(end).toMatchObject({ ip: address, pod: 'sidecar', ns: 'default' })
})
