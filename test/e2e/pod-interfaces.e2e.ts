import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askIn, ip, serveIn, whyNoNamespaces } from './pod-namespace.ts'
import { RunningTapdeck } from './running-tapdeck.ts'

/**
 * Network namespaces in place of pods. Two are joined by a cable of their own, which is no interface of the host; two by a
 * bridge of the host, which sees their packets.
 */
interface Peer {
  readonly ip: string
  readonly port: number
  readonly pod?: string
}
interface Call {
  readonly src: Peer
  readonly dst: Peer
}
interface Status {
  readonly nodes: readonly { capture: { pod_loopback?: { namespaces: number; reason?: string } } }[]
}

const REQUESTS = 100
const waiting = { timeout: 60_000, interval: 200 }
const id = process.pid
const BRIDGE = `tdb${id}`
const hidden = [
  { name: `tdh-a-${id}`, ip: '10.214.7.5', pod: 'alpha' },
  { name: `tdh-b-${id}`, ip: '10.214.7.6', pod: 'beta' },
] as const
const seen = [
  { name: `tdh-c-${id}`, ip: '10.215.7.5', pod: 'gamma' },
  { name: `tdh-d-${id}`, ip: '10.215.7.6', pod: 'delta' },
] as const
const pods = [...hidden, ...seen]
type Pod = (typeof pods)[number]
const reason = whyNoNamespaces()
if (reason) console.log(`skipped: interfaces of pods, because ${reason}`)

describe.skipIf(reason !== undefined)('the interfaces of pods', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-pod-interfaces-'))
  const processes: { kill(signal: NodeJS.Signals): boolean }[] = []
  let tapdeck: RunningTapdeck

  beforeAll(async () => {
    for (const { name } of pods) ip('netns', 'add', name)
    const [a, b] = hidden
    ip('-n', a.name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', b.name)
    ip('link', 'add', BRIDGE, 'type', 'bridge')
    ip('link', 'set', BRIDGE, 'up')
    for (const [at, { name }] of seen.entries()) {
      const port = `tdv${at}${id}`
      ip('link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
      ip('link', 'set', port, 'master', BRIDGE, 'up')
    }
    for (const { name, ip: address } of pods) {
      ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      for (const device of ['lo', 'eth0']) ip('-n', name, 'link', 'set', device, 'up')
      processes.push(await serveIn(name))
    }
    const inventory = join(folder, 'inventory.json')
    const known = pods.map(({ pod, ip: address }) => ({ name: pod, namespace: 'shop', ips: [address] }))
    writeFileSync(inventory, JSON.stringify({ pods: known }))
    const settings = [
      'tap.capture.podInterfaces=true',
      'tap.capture.dissection.enabled=true',
      'tap.capture.dissection.stopAfter=0',
      `tap.inventory=${inventory}`,
    ]
    tapdeck = await RunningTapdeck.start(settings, undefined, folder, 'any')
    // The worker finds a namespace within a second or two.
    await vi.waitUntil(async () => ((await inPods())?.namespaces ?? 0) >= pods.length, waiting)
  })
  afterAll(async () => {
    for (const process of processes) process.kill('SIGKILL')
    for (const { name } of pods) ip('netns', 'del', name)
    ip('link', 'del', BRIDGE)
    await tapdeck?.stop()
    rmSync(folder, { recursive: true })
  })

  const inPods = async () => ((await tapdeck.get('/api/status')) as Status).nodes[0]?.capture.pod_loopback
  const calls = async (from: string, db: string) => {
    const kfl = encodeURIComponent(`request.query["from"] == "${from}"`)
    return ((await tapdeck.get(`/mcp/calls?kfl=${kfl}&limit=500${db}`)) as { calls: readonly Call[] }).calls
  }

  async function expectCalls(from: string, [source, target]: readonly [Pod, Pod]): Promise<void> {
    await askIn(source.name, { from, host: target.ip, count: REQUESTS })
    for (const db of ['', '&db=recording']) {
      await expect.poll(async () => (await calls(from, db)).length, waiting).toBe(REQUESTS)
      const found = await calls(from, db)
      expect(new Set(found.map(({ src }) => src.port)).size).toBe(REQUESTS)
      for (const { src, dst } of found) {
        expect(src).toMatchObject({ ip: source.ip, pod: source.pod })
        expect(dst).toMatchObject({ ip: target.ip, pod: target.pod, port: 8080 })
      }
    }
  }

  test('requests whose packets no interface of the host shows are one call each, with the names of both pods', async () => {
    const ports = readdirSync('/sys/class/net').filter((name) => name.endsWith(String(id)))
    expect(ports.toSorted()).toEqual([BRIDGE, ...seen.map((_, at) => `tdv${at}${id}`)].toSorted())
    await expectCalls('hidden', hidden)
    expect((await inPods())?.reason).toBeUndefined()
  })

  test('requests that the host sees too are one call each', async () => {
    await expectCalls('seen', seen)
  })
})
