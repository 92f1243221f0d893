import { beforeAll, describe, expect, test, vi } from 'vitest'
import { callsOf, dissectRecording, waiting } from './recorded-calls.ts'
import { apply, kubectl } from './test-cluster.ts'

interface Pod {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly nodeName: string }
  readonly status: { readonly podIPs: readonly { readonly ip: string }[] }
}

const REQUESTS = 5
const v6 = ({ status }: Pod) => status.podIPs.map(({ ip }) => ip).find((ip) => ip.includes(':'))
const podsWith = async (app: string) =>
  (JSON.parse(await kubectl('get', 'pods', '-l', `app=${app}`, '-o', 'json')) as { items: readonly Pod[] })
    .items
const servers = await podsWith('web')
const clients = await podsWith('client')

describe.skipIf(!servers.every(v6))('pods with IPv6 (skipped if the pod network has none)', () => {
  let db: string

  beforeAll(async () => {
    await apply({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web6' },
      spec: {
        selector: { app: 'web' },
        ports: [{ name: 'http', port: 80, targetPort: 'http' }],
        ipFamilyPolicy: 'SingleStack',
        ipFamilies: ['IPv6'],
      },
    })
    const service = (await kubectl('get', 'svc', 'web6', '-o', 'jsonpath={.spec.clusterIP}')).trim()
    const endpoints = () =>
      kubectl('get', 'endpointslices', '-l', 'kubernetes.io/service-name=web6', '-o', 'name')
    await vi.waitUntil(async () => (await endpoints()) !== '', waiting)
    for (const { metadata } of clients) {
      const direct = servers.map(
        (to) => `wget -qO- "http://[${v6(to)}]:8080/?server6=${to.metadata.name}" >/dev/null`,
      )
      // The proxy of the node may not know the new Service yet.
      const known = `until wget -T 2 -qO- "http://[${service}]/?known" >/dev/null; do sleep 1; done`
      const loop = `for i in $(seq ${REQUESTS}); do wget -qO- "http://[${service}]/?service6=$i" >/dev/null; done`
      await kubectl('exec', metadata.name, '--', 'sh', '-c', [...direct, known, loop].join(' && '))
    }
    const all = clients.length * REQUESTS
    await vi.waitUntil(async () => (await callsOf('"service6" in request.query')).length >= all, waiting)
    db = await dissectRecording('ipv6')
  })

  test('each request between two pods is one call with the right names', async () => {
    const expected = clients.flatMap(({ metadata, spec }) =>
      servers.map((to) => `${metadata.name} ${spec.nodeName} > ${to.metadata.name} ${to.spec.nodeName}`),
    )
    for (const from of [undefined, db, 'recording']) {
      const calls = await callsOf('"server6" in request.query', from)
      for (const { dst, request } of calls) expect(dst.pod).toBe(request.query?.server6)
      const ends = calls.map(({ src, dst }) => `${src.pod} ${src.node} > ${dst.pod} ${dst.node}`)
      expect(ends.sort()).toEqual(expected.sort())
    }
  })

  test('requests through a cluster IP are one call each, with the Service that the client asked for', async () => {
    for (const from of [undefined, db, 'recording']) {
      const calls = await callsOf('"service6" in request.query', from)
      expect(calls).toHaveLength(clients.length * REQUESTS)
      for (const { src, dst } of calls) {
        expect(src).toMatchObject({ workload: 'client', ns: 'default' })
        expect(dst).toMatchObject({ workload: 'web', svc: 'web6', ns: 'default', port: 8080 })
      }
    }
  })
})
