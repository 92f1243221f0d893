import { expect, it } from 'vitest'
import { findSuspects } from './find-suspects.ts'
import { mergeOutside } from './merge-outside.ts'
import { evidence, pair, traffic } from './testing/sample-evidence.ts'

const from = (ip: string, more: Parameters<typeof traffic>[0] = {}) => ({
  ...traffic(more),
  client: { name: ip },
})
const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::3']

it('makes one row of clients that have only an address, with the sum of their calls', () => {
  const { after, connections } = mergeOutside(
    evidence(
      null,
      { edges: [...addresses.map((ip) => from(ip, { p50: 20 })), traffic({})] },
      {
        connections: addresses.map((ip) =>
          pair('orders', { client: { name: ip }, server: traffic({}).server }),
        ),
      },
    ),
  )
  expect(after.edges).toHaveLength(2)
  expect(after.edges[0]).toMatchObject({ client: { isOutside: true }, calls: 300, p50: 20 })
  expect(connections).toMatchObject([{ client: { isOutside: true }, connections: 30 }])
})

it('keeps few addresses apart, and those that are servers themselves', () => {
  const few = mergeOutside(evidence(null, { edges: addresses.slice(1).map((ip) => from(ip)) }))
  expect(few.after.edges.map(({ client }) => client.name)).toEqual(addresses.slice(1))
  const servers = addresses.map((ip) => ({ ...traffic({}), server: { name: `${ip}:80` } }))
  const kept = mergeOutside(evidence(null, { edges: [...servers, ...addresses.map((ip) => from(ip))] }))
  expect(kept.after.edges).toHaveLength(6)
})

it('counts what each of many addresses loses as one loss', () => {
  const edges = addresses.map((ip) => from(ip, { calls: 10 }))
  const failures = addresses.map((ip) => from(ip, { error: '500', path: '/login', calls: 2 }))
  const paths = addresses.map((ip) => from(ip, { path: '/login', calls: 10, failures: 2 }))
  const [found, ...rest] = findSuspects(evidence(null, { edges, paths, failures }))
  expect(rest).toEqual([])
  expect(found?.impact).toMatchObject({ lost: 6, of: 30, share: 0.2 })
  expect(found?.severity).not.toBe('note')
})
