import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { BpfPath } from './bpf-path.ts'
import { podsOf, type RunningPod } from './pods-of.ts'
import { callsOf, dissectRecording, waiting } from './recorded-calls.ts'
import { inNode, kubectl, nodeCommand, nodes, root } from './test-cluster.ts'

/**
 * The data path of Cilium, by hand, over the network of the cluster: programs at the devices of pods and of the node send
 * packets straight into the network of the other pod (`bpf_redirect_peer`) or to the next node (`bpf_redirect_neigh`), past
 * the bridge and the rules of the node, and connections to a Service are translated in `connect()`.
 */
const REQUESTS = 100
const GROUP = `/sys/fs/cgroup/unified/tapdeck-bpf-${process.pid}`
const folder = join(root, 'node_modules/.cache/tapdeck-bpf-path')

interface Device {
  readonly ifindex: number
  readonly ifname: string
  readonly stats64: { readonly tx: { readonly packets: number } }
}

const paths: ChildProcess[] = []
let client: RunningPod
let near: RunningPod
let far: RunningPod
let service: string

beforeAll(async () => {
  mkdirSync(GROUP)
  const pods = (await Promise.all(['client', 'web'].map(podsOf))).flat()
  const first = nodes[0]!
  client = pods.find(({ name, node }) => node === first && name.startsWith('client'))!
  near = pods.find(({ name, node }) => node === first && name.startsWith('web'))!
  far = pods.find(({ name, node }) => node === nodes[1] && name.startsWith('web'))!
  service = (await kubectl('get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}')).trim()
  const program = join(folder, 'bpf-path.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'bpf-path.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
  })
  for (const node of [first, nodes[1]!]) {
    const number = nodes.indexOf(node) + 1
    const isOwn = (pod: RunningPod) => pod.node === node
    const path: BpfPath = {
      local: await Promise.all(
        pods.filter(isOwn).map(async ({ name, address }) => ({ address, device: await deviceOf(name) })),
      ),
      remote: pods.filter((pod) => !isOwn(pod)).map(({ address }) => address),
      uplink: (await devices(number)).find(({ ifname }) => ifname === 'eth0')!.ifindex,
      ...(node === first && {
        service: {
          group: GROUP,
          from: { address: service, port: 80 },
          to: { address: far.address, port: 8080 },
        },
      }),
    }
    const [command, ...args] = nodeCommand(number, process.execPath, program, JSON.stringify(path))
    const child = spawn(command!, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    paths.push(child)
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve())
      child.once('exit', () => reject(new Error(`the programs of ${node} could not be attached`)))
    })
  }
})

afterAll(async () => {
  for (const path of paths) path.stdin!.end()
  await vi.waitUntil(() => {
    try {
      rmdirSync(GROUP)
      return true
    } catch {
      return false
    }
  }, waiting)
})

/** The end of the cable of a pod that is on its node. */
const deviceOf = async (pod: string) =>
  Number(await kubectl('exec', pod, '--', 'cat', '/sys/class/net/eth0/iflink'))
const devices = async (node: number) =>
  JSON.parse(await inNode(node, 'ip', '-s', '-j', 'link')) as readonly Device[]
/** Packets that the node sent to a pod through its device: none on this path. */
const sentTo = async (pod: RunningPod) => {
  const index = await deviceOf(pod.name)
  return (await devices(nodes.indexOf(pod.node) + 1)).find(({ ifindex }) => ifindex === index)!.stats64.tx
    .packets
}
const loop = (to: string) =>
  `for i in $(seq ${REQUESTS}); do wget -T 5 -qO- "http://${to}" >/dev/null || exit 1; done`

/** Each request is one call with both names, live, in a dissection, and out of the recording. */
async function expectCalls(mark: string, server: RunningPod): Promise<void> {
  const kfl = `"${mark}" in request.query`
  await vi.waitUntil(async () => (await callsOf(kfl)).length >= REQUESTS, waiting)
  const db = await dissectRecording(mark)
  for (const source of [undefined, db, 'recording']) {
    const calls = await callsOf(kfl, source)
    expect(calls).toHaveLength(REQUESTS)
    for (const { src, dst } of calls) {
      expect(src).toMatchObject({ pod: client.name, node: client.node, workload: 'client' })
      expect(dst).toMatchObject({
        pod: server.name,
        node: server.node,
        svc: 'web',
        ip: server.address,
        port: 8080,
      })
    }
  }
}

test.each([
  ['of the same node', 'bpfnear', () => near],
  ['of another node', 'bpffar', () => far],
])('requests to a pod %s', async (_where, mark, serverOf) => {
  const server = serverOf()
  const before = await sentTo(server)
  await kubectl('exec', client.name, '--', 'sh', '-c', loop(`${server.address}:8080/?${mark}=$i`))
  // A request alone is five packets to the server.
  expect((await sentTo(server)) - before).toBeLessThan(REQUESTS)
  await expectCalls(mark, server)
})

test('requests to a Service that connect() translates have the Service of their endpoint', async () => {
  const names = (await inNode(1, 'ip', 'netns')).split('\n').map((line) => line.split(' ')[0]!)
  const found: string[] = []
  for (const name of names.filter(Boolean))
    if ((await inNode(1, 'ip', '-n', name, 'addr')).includes(` ${client.address}/`)) found.push(name)
  const enter = `echo 0 > ${GROUP}/cgroup.procs; exec ip netns exec ${found[0]} sh -c '${loop(`${service}/?bpfsvc=$i`)}'`
  const before = await sentTo(far)
  await inNode(1, 'sh', '-c', enter)
  expect((await sentTo(far)) - before).toBeLessThan(REQUESTS)
  await expectCalls('bpfsvc', far)
})
