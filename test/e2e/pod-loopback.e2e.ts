import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askIn, ip, serveIn, whyNoNamespaces } from './pod-namespace.ts'
import { RunningTapdeck } from './running-tapdeck.ts'

/**
 * Network namespaces in place of pods. Each has a server on its loopback and an address of its own. Clients use the same
 * ports in both, so that only the namespace tells their connections apart.
 */

interface Peer {
  readonly ip: string
  readonly port: number
  readonly pod?: string
}
interface Call {
  readonly src: Peer
  readonly dst: Peer
  readonly request: { readonly query: { readonly from: string } }
}
interface Status {
  readonly nodes: readonly { capture: { pod_loopback?: { namespaces: number; reason?: string } } }[]
}

const PODS = [
  { name: `tde-a-${process.pid}`, ip: '10.213.7.5', pod: 'alpha' },
  { name: `tde-b-${process.pid}`, ip: '10.213.7.6', pod: 'beta' },
]
const REQUESTS = 20
const waiting = { timeout: 60_000, interval: 200 }
const CLIENT_PORT = 41_000
const reason = whyNoNamespaces()
if (reason) console.log(`skipped: loopback of pods, because ${reason}`)

describe.skipIf(reason !== undefined)('the loopback of pods', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-pods-'))
  const processes: { kill(signal: NodeJS.Signals): boolean }[] = []
  let tapdeck: RunningTapdeck

  beforeAll(async () => {
    const inventory = join(folder, 'inventory.json')
    const pods = PODS.map(({ pod, ip }) => ({ name: pod, namespace: 'shop', ips: [ip] }))
    writeFileSync(inventory, JSON.stringify({ pods }))
    tapdeck = await RunningTapdeck.start([
      'tap.capture.podLoopback=true',
      'tap.capture.dissection.enabled=true',
      'tap.capture.dissection.stopAfter=0',
      `tap.inventory=${inventory}`,
    ])
    for (const { name, ip: address } of PODS) {
      ip('netns', 'add', name)
      // An own address is enough: the packets under test never leave the namespace.
      ip('-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1')
      ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0')
      for (const device of ['lo', 'eth0', 'eth1']) ip('-n', name, 'link', 'set', device, 'up')
      processes.push(await serveIn(name))
    }
    // The worker finds a namespace within a second or two.
    for (const { name } of PODS)
      await vi.waitUntil(async () => {
        await ask(name, `probe-${name}`, '127.0.0.1')
        return (await calls(`probe-${name}`, '')).length > 0
      }, waiting)
    expect((await loopback())?.namespaces).toBeGreaterThanOrEqual(PODS.length)
  })
  afterAll(async () => {
    for (const process of processes) process.kill('SIGKILL')
    for (const { name } of PODS) ip('netns', 'del', name)
    await tapdeck?.stop()
    rmSync(folder, { recursive: true })
  })

  const ask = (name: string, from: string, host: string) =>
    askIn(name, { from, host, count: REQUESTS, port: CLIENT_PORT })
  const loopback = async () => ((await tapdeck.get('/api/status')) as Status).nodes[0]?.capture.pod_loopback
  const calls = async (from: string, db: string) => {
    const kfl = encodeURIComponent(`request.query["from"] == "${from}"`)
    const answer = await tapdeck.get(`/mcp/calls?kfl=${kfl}&limit=500&format=full${db}`)
    return (answer as { calls: readonly Call[] }).calls
  }

  test('calls in two pods from the same ports at the same time are separate, with the right names', async () => {
    await Promise.all(PODS.map(({ name, pod }) => ask(name, pod, '127.0.0.1')))
    for (const db of ['', '&db=recording'])
      for (const { pod, ip } of PODS) {
        await expect.poll(async () => (await calls(pod, db)).length).toBe(REQUESTS)
        const found = await calls(pod, db)
        for (const { src, dst } of found) {
          expect(src).toMatchObject({ ip, pod })
          expect(dst).toMatchObject({ ip, pod, port: 8080 })
        }
        const ports = found.map(({ src }) => src.port).sort()
        expect(ports).toEqual(Array.from({ length: REQUESTS }, (_, i) => CLIENT_PORT + i))
      }
    expect((await loopback())?.reason).toBeUndefined()
  })

  test('IPv6 in a pod that has only an IPv4 address is named, too', async () => {
    const [{ name, pod }] = PODS
    await ask(name, 'six', '::1')
    await expect.poll(async () => (await calls('six', '')).length).toBe(REQUESTS)
    for (const { src, dst } of await calls('six', '')) expect([src.pod, dst.pod]).toEqual([pod, pod])
  })

  test('a namespace is released when its last process ends', async () => {
    const name = `tde-c-${process.pid}`
    const outside = `tde${process.pid}`
    ip('netns', 'add', name)
    ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
    ip('-n', name, 'addr', 'add', '10.213.7.9/24', 'dev', 'eth0')
    for (const device of ['lo', 'eth0']) ip('-n', name, 'link', 'set', device, 'up')
    ip('link', 'set', outside, 'up')
    processes.push(await serveIn(name))
    await expect
      .poll(async () => {
        await ask(name, 'gamma', '127.0.0.1')
        return (await calls('gamma', '')).length
      })
      .toBeGreaterThan(0)
    processes.pop()!.kill('SIGKILL')
    ip('netns', 'del', name)
    // The kernel removes a namespace, and both ends of its cables, when no process, no mount and no socket uses it.
    await expect.poll(() => existsSync(`/sys/class/net/${outside}`)).toBe(false)
  })
})
