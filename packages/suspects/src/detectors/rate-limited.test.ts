import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { rateLimited } from './rate-limited.ts'

const edge = (from: string, calls: number) => traffic({ from, to: 'gateway', calls })
const rejected = (calls: number, error = '429') =>
  traffic({ from: 'b', to: 'gateway', calls, failures: calls, error })
const find = (acme: number, own: number, failures = [rejected(50)]) =>
  rateLimited(
    evidence(
      { edges: [edge('a', 100), edge('b', 100)] },
      { edges: [edge('a', acme), edge('b', own)], failures },
    ),
  )

it('reports a client that is limited for what another one sends', () => {
  const [found] = find(600, 105)
  expect(found).toMatchObject({ kind: 'rate_limited', client: { name: 'b' }, server: { name: 'gateway' } })
  expect(found?.what).toContain('that of a did (6.0 times)')
})

it('says so where the client itself sends more, and is silent on other errors', () => {
  const [found] = find(100, 400, [rejected(200)])
  expect(found?.what).not.toContain('though')
  expect(found?.against[0]).toContain('4.0 times')
  expect(find(600, 105, [rejected(50, '403')])).toEqual([])
  expect(find(600, 105, [rejected(1)])).toEqual([])
})
