import { expect, it } from 'vitest'
import { DAWN, evidence, MINUTE, traffic } from '../testing/sample-evidence.ts'
import { failingMore } from './failing-more.ts'

const edges = [traffic({})]

it('reports an error kind that is new, with the path that has most of it and its first occurrence', () => {
  const failures = [
    traffic({ error: '503', path: '/pay', calls: 30, first: 5000 }),
    traffic({ error: '503', path: '/cart', calls: 10, first: 4000 }),
  ]
  const [found, ...rest] = failingMore(evidence({ edges }, { edges, failures }))
  expect(rest).toEqual([])
  expect(found).toMatchObject({
    kind: 'failing',
    began: 4000,
    before: '0 of 100 calls (0.0 %)',
    after: '40 of 100 calls (40 %)',
    selection: { error: '503', proto: 'http' },
  })
  expect(found?.what).toContain('/pay')
  expect(found?.score).toBeGreaterThan(62)
})

it('reports errors that rose beyond chance, and not those that stayed as they were', () => {
  const of = (calls: number) => [traffic({ error: '500', path: '/', calls })]
  expect(failingMore(evidence({ edges, failures: of(2) }, { edges, failures: of(30) }))).toHaveLength(1)
  expect(failingMore(evidence({ edges, failures: of(5) }, { edges, failures: of(7) }))).toEqual([])
})

it('an error that depends on the request has one kind, whatever numbers it names', () => {
  const failures = Array.from({ length: 9 }, (_, at) => traffic({ error: `key ${at} not found`, calls: 1 }))
  const found = failingMore(evidence({ edges }, { edges, failures }))
  expect(found.map(({ after }) => after)).toEqual(['9 of 100 calls (9.0 %)'])
})

it('one new failure is a note, and what always failed without a time before is one too', () => {
  const few = failingMore(evidence({ edges }, { edges, failures: [traffic({ error: '500', calls: 1 })] }))
  expect(few[0]?.score).toBeLessThan(45)
  const usual = failingMore(evidence(null, { edges, failures: [traffic({ error: '404', calls: 60 })] }))
  expect(usual[0]?.score).toBeLessThan(45)
})

it('says by the protocol and the error what kind of failure it is', () => {
  const kindOf = (proto: string, error: string) =>
    failingMore(evidence({ edges }, { edges, failures: [traffic({ proto, error, calls: 20 })] }))[0]?.kind
  expect(kindOf('dns', 'no_response')).toBe('dns_failing')
  expect(kindOf('tls', 'certificate_expired')).toBe('tls_failing')
  expect(kindOf('tcp', 'refused')).toBe('connection_failed')
  expect(kindOf('http', 'response cut off: connection reset')).toBe('connection_failed')
  expect(kindOf('http', 'no_response')).toBe('unanswered')
})

it('a server that ends the connection has failed, a client that does has given up', () => {
  const find = (connectionEnd: string) =>
    failingMore(
      evidence({ edges }, { edges, failures: [traffic({ error: 'no_response', connectionEnd, calls: 20 })] }),
    )[0]
  expect(find('reset_by_server')).toMatchObject({ kind: 'connection_failed' })
  expect(find('reset_by_server')?.what).toMatch(/resets the connection/)
  expect(find('closed_by_server')).toMatchObject({ kind: 'connection_failed' })
  expect(find('closed_by_client')).toMatchObject({ kind: 'unanswered' })
  expect(find('reset_by_server')?.selection).toMatchObject({ connectionEnd: 'reset_by_server' })
})

it('without a time before, failures that begin late in the window are new, and those from its beginning weigh less', () => {
  const from = DAWN + MINUTE
  const of = (first: number, calls: number) => [traffic({ error: 'refused', proto: 'tcp', calls, first })]
  const find = (first: number, calls: number) =>
    failingMore(evidence(null, { edges, failures: of(first, calls) }))[0]?.score
  expect(find(from + MINUTE / 2, 15)).toBeGreaterThan(62)
  expect(find(from + MINUTE / 20, 15)).toBeLessThan(60)
  expect(find(from + MINUTE / 20, 9)).toBeLessThan(45)
  expect(find(from + MINUTE / 2, 3)).toBeLessThan(45)
})

it('without a time before, two late failures are a note', () => {
  const late = traffic({ error: 'refused', proto: 'tcp', calls: 2, first: DAWN + 2 * MINUTE - 1 })
  expect(failingMore(evidence(null, { edges, failures: [late] }))[0]?.score).toBeLessThan(45)
})

it('what cost as many calls before is background, unless it is little or the requests are wrong', () => {
  const of = (error: string, calls: number) => [traffic({ error, path: '/', calls })]
  const find = (error: string, calls: number) =>
    failingMore(evidence({ edges, failures: of(error, calls) }, { edges, failures: of(error, calls) }))
  expect(find('500', 20)).toMatchObject([{ isBackground: true, before: '20 of 100 calls (20 %)' }])
  expect(find('500', 6)).toEqual([])
  expect(find('404', 20)).toEqual([])
})
