import { expect, it } from 'vitest'
import type { Traffic } from '../evidence.ts'
import { findSuspects } from '../find-suspects.ts'
import { evidence, podHeaders, traffic } from '../testing/sample-evidence.ts'
import { oddNode } from './odd-node.ts'
import { oddVersion } from './odd-version.ts'

const pod = (service: string, name: string, node: string, more: Partial<Traffic> = {}): Traffic => ({
  ...traffic(more),
  client: { name: service },
  server: { name },
  node,
})
const bad = { failures: 40 }

it('names a node where pods of several services fail, and not where one does, or where most are well', () => {
  const replicas = ['cart', 'catalog'].flatMap((service) => [
    pod(service, `${service}-0`, 'a'),
    pod(service, `${service}-1`, 'b', bad),
  ])
  const [found, ...rest] = oddNode(evidence(null, { replicas }))
  expect(rest).toEqual([])
  expect(found).toMatchObject({
    kind: 'node',
    loss: { how: 'failed', lost: 80, of: 200 },
    selection: { node: 'b' },
  })
  expect(oddNode(evidence(null, { replicas: replicas.slice(0, 2) }))).toEqual([])
  const well = ['x', 'y', 'z'].flatMap((service) => [
    pod(service, `${service}-0`, 'a'),
    pod(service, `${service}-1`, 'b'),
  ])
  expect(oddNode(evidence(null, { replicas: [...replicas, ...well] }))).toEqual([])
})

it('a slow node is one suspect, which explains its pods', () => {
  const replicas = ['cart', 'catalog'].flatMap((service) => [
    pod(service, `${service}-0`, 'a'),
    pod(service, `${service}-1`, 'b', { p50: 300 }),
  ])
  const found = findSuspects(evidence(null, { replicas }))
  expect(found.filter(({ explainedBy }) => explainedBy === undefined)).toMatchObject([{ kind: 'node' }])
  expect(found[0]).toMatchObject({ victims: [1, 2], impact: { how: 'delayed' } })
})

it('names a version by its header or its template where several pods of it fail and no other does', () => {
  const names = [
    'auth-7d9c5f6b8d-abcde',
    'auth-7d9c5f6b8d-bcdef',
    'auth-5b8f7c9d4f-cdefg',
    'auth-5b8f7c9d4f-defgh',
  ]
  const replicas = names.map((name, at) => pod('auth', name, 'a', at < 2 ? {} : bad))
  expect(oddVersion(evidence(null, { replicas }))[0]?.what).toContain('5b8f7c9d4f')
  const headers = names.map((name, at) =>
    podHeaders(name, { constant: { 'x-version': at < 2 ? '1' : '2.0.1' } }),
  )
  const [found, ...rest] = findSuspects(evidence(null, { replicas, headers }))
  expect(found).toMatchObject({ kind: 'version', victims: [1, 2] })
  expect(found?.what).toContain('2.0.1')
  expect(rest.every(({ explainedBy }) => explainedBy === 0)).toBe(true)
  const oneBad = names.map((name, at) => pod('auth', name, 'a', at === 3 ? bad : {}))
  expect(oddVersion(evidence(null, { replicas: oneBad }))).toEqual([])
})

it('pods that were odd before the change are background, with the failures that they explain', () => {
  const replicas = [pod('cart', 'cart-0', 'a'), pod('cart', 'cart-1', 'a', bad), pod('cart', 'cart-2', 'a')]
  const cart = { server: { name: 'cart' } }
  const seen = {
    replicas,
    edges: [{ ...traffic({ calls: 300 }), ...cart }],
    paths: [{ ...traffic({ path: '/', calls: 300 }), ...cart }],
    failures: [{ ...traffic({ path: '/', error: '500', calls: 40 }), ...cart }],
  }
  const of = (before: typeof seen | Partial<typeof seen>) =>
    findSuspects(evidence(before, seen)).map(({ kind, isBackground, explainedBy }) => [
      kind,
      isBackground,
      explainedBy,
    ])
  expect(of(seen)).toEqual([
    ['replica', true, undefined],
    ['failing', true, 0],
  ])
  expect(of({ ...seen, replicas: replicas.map((one) => ({ ...one, failures: 0 })), failures: [] })).toEqual([
    ['replica', undefined, undefined],
    ['failing', undefined, 0],
  ])
})
