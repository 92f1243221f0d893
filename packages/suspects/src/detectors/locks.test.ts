import { expect, it } from 'vitest'
import type { Statement } from '../evidence.ts'
import { DAWN, evidence } from '../testing/sample-evidence.ts'
import { locks } from './locks.ts'

const at = (session: string, start: number, end: number, text = 'UPDATE stock SET n = 1'): Statement => ({
  client: { name: session === 'holder' ? 'batch' : 'shop' },
  server: { name: 'db' },
  proto: 'postgresql',
  session,
  text,
  start: DAWN + start,
  end: DAWN + end,
  endsTransaction: text === 'COMMIT',
})
const commit = at('holder', 5000, 5001, 'COMMIT')
const find = (...statements: Statement[]) => locks(evidence(null, {}, { statements }))

it('reports the session whose COMMIT lets several others go on', () => {
  const waiters = [at('a', 1000, 5002), at('b', 2000, 5003), at('c', 3000, 5004)]
  const [found] = find(commit, ...waiters)
  expect(found).toMatchObject({ kind: 'lock', client: { name: 'batch' }, server: { name: 'db' } })
  expect(found?.after).toContain('up to 4002 ms')
})

it('stays silent on slow statements that end at other times, on one session, and on two waiters', () => {
  expect(find(commit, at('a', 1000, 4000), at('b', 2000, 5500), at('c', 3000, 6000))).toEqual([])
  expect(find(commit, ...[1, 2, 3].map((n) => at('a', n * 1000, 5002)))).toEqual([])
  expect(find(commit, at('a', 1000, 5002), at('b', 2000, 5003))).toEqual([])
})
