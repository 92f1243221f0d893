import { expect, it } from 'vitest'
import type { Lookups } from '../evidence.ts'
import { DAWN, evidence } from '../testing/sample-evidence.ts'
import { searchStorm } from './dns-search-storm.ts'
import { unansweredNames } from './dns-unanswered.ts'

const name = (text: string, more: Partial<Lookups> = {}): Lookups => ({
  client: { name: 'web' },
  server: { name: 'dns' },
  name: text,
  lookups: 40,
  missing: 0,
  unanswered: 0,
  first: DAWN,
  ...more,
})

it('reports a name that is never answered', () => {
  const lookups = [name('a.svc'), name('b.corp', { lookups: 5, unanswered: 5 })]
  const [found] = unansweredNames(evidence({ lookups: [name('a.svc')] }, { lookups }))
  expect(found).toMatchObject({ kind: 'dns_unanswered', selection: { path: 'b.corp' } })
  expect(found?.what).toContain('answers about other names')
})

it('an answer that a name does not exist is an answer, and one lost packet is not silence', () => {
  const lookups = [
    name('a', { missing: 40 }),
    name('b', { unanswered: 1 }),
    name('c', { lookups: 1, unanswered: 1 }),
  ]
  expect(unansweredNames(evidence({}, { lookups }))).toEqual([])
})

it('reports a client that begins to try search domains', () => {
  const storm = ['a.svc.x', 'a.svc.y', 'a.svc.z'].map((one) => name(one, { missing: 40 }))
  const [found] = searchStorm(evidence({ lookups: [name('a.svc')] }, { lookups: [name('a.svc'), ...storm] }))
  expect(found).toMatchObject({ kind: 'dns_search_storm', client: { name: 'web' } })
  expect(found?.score).toBeGreaterThan(45)
})

it('a search path that was always tried is a note, and one domain of it is nothing', () => {
  const storm = [name('a.svc'), ...['x', 'y', 'z'].map((one) => name(`a.svc.${one}`, { missing: 40 }))]
  expect(searchStorm(evidence({ lookups: storm }, { lookups: storm }))[0]?.score).toBeLessThan(45)
  expect(searchStorm(evidence({}, { lookups: [name('a.svc'), name('a.svc.x', { missing: 40 })] }))).toEqual(
    [],
  )
})

it('names that do not exist and have nothing in common are no search', () => {
  const missing = ['x.example', 'y.example', 'z.example', 'a.svcx.y'].map((one) => name(one, { missing: 40 }))
  expect(
    searchStorm(evidence({ lookups: [name('a.svc')] }, { lookups: [name('a.svc'), ...missing] })),
  ).toEqual([])
})
