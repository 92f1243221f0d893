import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { readYaml } from '@tapdeck/config'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type CallPage, callsOf, type RecordedCall, waiting } from './recorded-calls.ts'
import { apply, ClusterHub, helm, kubectl, root, runWithErrors, start } from './test-cluster.ts'

/** Requests to the pod, and as many from it. */
const REQUESTS = 50
const program = join(root, 'dist', 'tapdeck.mjs')
const hubNamespace = 'attach-hub'
const image = 'localhost/busybox:1.38'
const web = `mkdir -p /www; echo ok > /www/index.html; exec httpd -f -p 8080 -h /www`

async function namespaceWith(name: string, level: string): Promise<void> {
  await kubectl('create', 'namespace', name)
  await kubectl('label', 'namespace', name, `pod-security.kubernetes.io/enforce=${level}`)
}

const labels = { app: 'shop' }
const pod = (name: string, namespace: string, securityContext: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        ...{ name: 'shop', image, securityContext },
        command: ['/bin/sh', '-c', web.replaceAll('/www', '/tmp/www')],
        ports: [{ name: 'http', containerPort: 8080 }],
      },
    ],
  },
})

beforeAll(async () => {
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  // A cluster in which no node may have a worker.
  const values = ['nodeSelector.worker.none=here', 'tap.capture.dissection.stopAfter=0'].flatMap((one) => [
    '--set',
    one,
  ])
  const install = helm(
    'install',
    'tapdeck',
    chart,
    '-n',
    hubNamespace,
    '--create-namespace',
    ...values,
    '--wait',
  )
  await namespaceWith('attach-baseline', 'baseline')
  await namespaceWith('attach-restricted', 'restricted')
  await apply(
    pod('shop', 'attach-baseline'),
    pod('alone', 'attach-baseline'),
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'shop', namespace: 'attach-baseline' } },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
    pod('shop', 'attach-restricted', {
      ...{ runAsNonRoot: true, runAsUser: 1000, allowPrivilegeEscalation: false },
      ...{ capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    }),
  )
  const ready = ['wait', '--for=condition=Ready', 'pod', '--all', '--timeout=180s']
  for (const namespace of ['attach-baseline', 'attach-restricted']) await kubectl(...ready, '-n', namespace)
  await install
})

afterAll(() =>
  kubectl('delete', 'namespace', 'attach-baseline', 'attach-restricted', hubNamespace, '--wait=false'),
)

const attach = (...args: string[]) => runWithErrors(process.execPath, program, 'attach', ...args)

/** Requests to the pod by its address from a pod of another namespace, and from it to a Service. */
async function request(name: string, mark: string): Promise<void> {
  const loop = (address: string, kind: string) =>
    `for i in $(seq ${REQUESTS}); do wget -T 5 -qO- "http://${address}/?${mark}=${kind}$i" >/dev/null || exit 1; done`
  const address = (
    await kubectl('get', 'pod', name, '-n', 'attach-baseline', '-o', 'jsonpath={.status.podIP}')
  ).trim()
  await kubectl('exec', 'daemonset/client', '--', 'sh', '-c', loop(`${address}:8080`, 'in'))
  await kubectl('exec', name, '-n', 'attach-baseline', '--', 'sh', '-c', loop('web.default', 'out'))
}

/** All requests are calls, once, with names at both ends. */
function expectAll(calls: readonly RecordedCall[], name: string, mark: string): void {
  const kinds = calls.map(({ request: { query } }) => String(query?.[mark]))
  const numbers = Array.from({ length: REQUESTS }, (_, at) => at + 1)
  expect(kinds.toSorted()).toEqual(
    [...numbers.map((n) => `in${n}`), ...numbers.map((n) => `out${n}`)].toSorted(),
  )
  const own = { pod: name, ns: 'attach-baseline' }
  for (const {
    src,
    dst,
    request: { query },
  } of calls)
    if (String(query?.[mark]).startsWith('in')) {
      expect(dst).toMatchObject({ ...own, svc: 'shop' })
      expect(src).toMatchObject({ ns: 'default', workload: 'client', workload_kind: 'DaemonSet' })
    } else {
      expect(src).toMatchObject(own)
      expect(dst).toMatchObject({ svc: 'web', ns: 'default' })
    }
  console.info(`attach: ${calls.length} of ${2 * REQUESTS} requests of pod ${name} are calls, all with names`)
}

test('a recorder in a pod with the level baseline joins the hub, and every request of the pod is a call with names', async () => {
  const { get } = new ClusterHub(hubNamespace)
  const { output } = await attach(
    'pod/shop',
    '-n',
    'attach-baseline',
    '--hub-namespace',
    hubNamespace,
    '--keep',
    '5m',
  )
  expect(output).toContain('as the node pod:attach-baseline:shop')
  const spec = await kubectl('get', 'pod', 'shop', '-n', 'attach-baseline', '-o', 'yaml')
  expect(spec).not.toMatch(/tpw_|tpd_|BEGIN CERTIFICATE/)
  await request('shop', 'joined')
  const kfl = 'has(request.query["joined"])'
  await expect.poll(async () => (await callsOf(kfl, undefined, get)).length).toBe(2 * REQUESTS)
  expectAll(await callsOf(kfl, undefined, get), 'shop', 'joined')
  const again = await attach('pod/shop', '-n', 'attach-baseline', '--hub-namespace', hubNamespace)
  expect(again.errors).toContain('has a recorder already')
})

/** A command that opened the way to the hub of a recorder, and how to ask that hub. */
async function opened(...command: string[]) {
  const child = await start(...(command as [string, ...string[]]))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => lines.push(line))
  const find = (text: RegExp) =>
    vi.waitFor(() => {
      const found = lines.map((line) => text.exec(line)?.[1]).find((one) => one !== undefined)
      if (found === undefined) throw new Error(`not printed: ${text}\n${lines.join('\n')}`)
      return found
    }, waiting)
  const url = await find(/is at (http:\S+)/)
  const token = await find(/^Token: (\S+)/)
  const calls = async (mark: string) => {
    const kfl = encodeURIComponent(`has(request.query["${mark}"])`)
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/mcp/calls?limit=1000&format=full&kfl=${kfl}`, { headers })
    return ((await answer.json()) as CallPage).calls
  }
  const stop = async () => {
    child.kill('SIGINT')
    expect((await once(child, 'close'))[0]).toBe(0)
  }
  return { url, lines, find, calls, stop }
}

test('a recorder alone is reached through the forward of the command, with its token only', async () => {
  const args = ['-n', 'attach-baseline', '--alone', '--keep', '5m', '--image', await hubImage()]
  const { url, lines, find, calls, stop } = await opened(
    process.execPath,
    program,
    'attach',
    'pod/alone',
    ...args,
  )
  await find(/^(Names: pods and Services of the cluster)/)
  expect((await fetch(`${url}/mcp/calls`)).status).toBe(401)
  await request('alone', 'alone')
  await expect.poll(async () => (await calls('alone')).length).toBe(2 * REQUESTS)
  expectAll(await calls('alone'), 'alone', 'alone')
  await kubectl('exec', 'alone', '-n', 'attach-baseline', '--', 'wget', '-qO-', 'http://127.0.0.1:8080/?lo=1')
  await expect.poll(() => calls('lo')).toMatchObject([{ src: { pod: 'alone' }, dst: { pod: 'alone' } }])
  await stop()
  expect(lines.join('\n')).toContain('cannot be removed; the recorder in it ends by itself')
})

test('a sidecar records from the start of its pod, and the way to it opens with its token', async () => {
  const { output, errors } = await attach('--sidecar', '--image', await hubImage())
  const token = /^Token of its hub: (\S+)/m.exec(errors)?.[1] ?? ''
  const sidecar = readYaml('sidecar', output) as object
  const plain = pod('sidecar', 'attach-baseline')
  await apply({ ...plain, spec: { ...plain.spec, ...sidecar } })
  await kubectl('wait', '--for=condition=Ready', 'pod/sidecar', '-n', 'attach-baseline', '--timeout=180s')
  const command = [process.execPath, program, 'attach', 'pod/sidecar', '-n', 'attach-baseline']
  const { find, calls, stop } = await opened('env', `TAPDECK_TOKEN=${token}`, ...command)
  await find(/^(Names: pods and Services of the cluster)/)
  await request('sidecar', 'sidecar')
  await expect.poll(async () => (await calls('sidecar')).length).toBe(2 * REQUESTS)
  expectAll(await calls('sidecar'), 'sidecar', 'sidecar')
  await stop()
})

test('a container without NET_RAW ends at once and says what is missing', async () => {
  const recorder = pod('no-raw', 'attach-baseline', { runAsUser: 0, capabilities: { drop: ['NET_RAW'] } })
  const [container] = recorder.spec.containers
  const args = ['recorder', '--pod=attach-baseline/no-raw']
  const own = { ...container, image: await hubImage(), command: undefined, args }
  const fallback = { terminationMessagePolicy: 'FallbackToLogsOnError' }
  await apply({
    ...recorder,
    spec: { ...recorder.spec, restartPolicy: 'Never', containers: [{ ...own, ...fallback }] },
  })
  const path = 'jsonpath={.status.containerStatuses[0].state.terminated}'
  const state = () => kubectl('get', 'pod', 'no-raw', '-n', 'attach-baseline', '-o', path)
  await expect.poll(state).toContain('no right to capture packets (NET_RAW)')
  expect(JSON.parse(await state())).toMatchObject({ exitCode: 3 })
})

test('who has the role edit is refused with the right that is missing; the documented role is enough', async () => {
  const account = 'attach-baseline:developer'
  const ns = ['-n', 'attach-baseline']
  await kubectl('create', 'serviceaccount', 'developer', ...ns)
  await kubectl(
    'create',
    'rolebinding',
    'developer',
    '--clusterrole=edit',
    `--serviceaccount=${account}`,
    ...ns,
  )
  await apply(pod('tenant', 'attach-baseline'))
  await kubectl('wait', '--for=condition=Ready', 'pod/tenant', '--timeout=180s', ...ns)
  const config = join(mkdtempSync(join(tmpdir(), 'tapdeck-attach-')), 'kubeconfig')
  writeFileSync(config, await kubectl('config', 'view', '--raw', '--minify', '--flatten'), { mode: 0o600 })
  const token = (await kubectl('create', 'token', 'developer', ...ns)).trim()
  const own = (...args: string[]) => kubectl('--kubeconfig', config, 'config', ...args)
  await own('set-credentials', 'developer', `--token=${token}`)
  await own('set-context', '--current', '--user=developer')
  const args = ['attach', 'pod/tenant', ...ns, '--alone', '--keep', '5m', '--image', await hubImage()]
  const command = ['env', `KUBECONFIG=${config}`, process.execPath, program, ...args] as const
  await expect(runWithErrors(...command)).rejects.toThrow(
    'You need the verb patch on pods/ephemeralcontainers',
  )
  const page = readFileSync(join(root, 'docs', 'kubernetes.md'), 'utf8')
  const [role = ''] = /apiVersion: rbac\S+\nkind: Role\n[^`]*/.exec(page) ?? []
  const documented = readYaml('role', role) as { metadata: object }
  await kubectl('delete', 'rolebinding', 'developer', ...ns)
  await apply({ ...documented, metadata: { ...documented.metadata, namespace: 'attach-baseline' } })
  await kubectl(
    'create',
    'rolebinding',
    'developer',
    '--role=tapdeck-attach',
    `--serviceaccount=${account}`,
    ...ns,
  )
  const { find, stop } = await opened(...command)
  await find(/Not named: (pods of other namespaces)/)
  await stop()
})

test('in a namespace with the level restricted, what is missing is said before and after trying', async () => {
  const refused = attach('pod/shop', '-n', 'attach-restricted', '--alone', '--image', await hubImage())
  const error = await refused.then(
    () => undefined,
    (reason: { stderr: string }) => reason.stderr,
  )
  expect(error).toContain('enforces the Pod Security level "restricted"')
  expect(error).toContain('drop all capabilities')
  expect(error).toContain('violates PodSecurity "restricted:latest"')
  expect(error).toContain('Nothing was changed')
  console.info(`attach: in a restricted namespace it says:\n${error}`)
  const added = ['-o', 'jsonpath={.spec.ephemeralContainers}']
  expect(await kubectl('get', 'pod', 'shop', '-n', 'attach-restricted', ...added)).toBe('')
})

test('what cannot be attached to is refused with a reason', async () => {
  await expect(attach('pod/none', '-n', 'attach-baseline')).rejects.toThrow('there is no such pod')
  const [hostPod = ''] = (await kubectl('get', 'pods', '-l', 'app=host-web', '-o', 'name')).split('\n')
  await expect(attach(hostPod, '-n', 'default')).rejects.toThrow('would record the whole node')
  // The shared release has a worker on each node.
  const [webPod = ''] = (await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).split('\n')
  const recorded = attach(webPod, '-n', 'default', '--hub-namespace', 'tapdeck')
  await expect(recorded).rejects.toThrow('records this pod already')
  const wrongImage = attach('pod/shop', '-n', 'attach-restricted', '--alone')
  await expect(wrongImage).rejects.toThrow('--image')
})

async function hubImage(): Promise<string> {
  const path = 'jsonpath={.spec.template.spec.containers[0].image}'
  return (await kubectl('get', 'deployment', 'tapdeck-hub', '-n', hubNamespace, '-o', path)).trim()
}
