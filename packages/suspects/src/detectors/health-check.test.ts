import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { healthCheck } from './health-check.ts'

const on = (path: string, calls: number, failures = 0) => traffic({ path, calls, failures })
const failed = (path: string) => traffic({ path, calls: 20, failures: 20, error: '404' })
const before = { paths: [on('/healthz', 30), on('/orders', 100)] }

it('reports a health check that began to fail while other calls work', () => {
  const after = { paths: [on('/healthz', 30, 20), on('/orders', 100)], failures: [failed('/healthz')] }
  const [found] = healthCheck(evidence(before, after))
  expect(found).toMatchObject({ kind: 'health_check', selection: { path: '/healthz' } })
  expect(found?.what).toContain('other calls to it work')
  expect(found?.score).toBeGreaterThan(70)
})

it('stays silent on other paths, and a check that always failed is a note', () => {
  expect(
    healthCheck(evidence(before, { paths: [on('/orders', 100, 20)], failures: [failed('/orders')] })),
  ).toEqual([])
  const always = { paths: [on('/healthz', 30, 20)], failures: [failed('/healthz')] }
  expect(healthCheck(evidence(always, always))[0]?.score).toBeLessThan(45)
})

it('takes no state of a thing for a health check, and no chance for a change', () => {
  const states = { paths: [on('/orders/{id}/status', 30, 20)], failures: [failed('/orders/{id}/status')] }
  expect(healthCheck(evidence(before, states))).toEqual([])
  const rare = { paths: [on('/healthz', 5000, 20)], failures: [failed('/healthz')] }
  const sometimes = traffic({ path: '/healthz', calls: 9, failures: 9, error: '404' })
  const usual = { paths: [on('/healthz', 5000, 9)], failures: [sometimes] }
  expect(healthCheck(evidence(usual, rare))[0]?.score).toBeLessThan(45)
})
