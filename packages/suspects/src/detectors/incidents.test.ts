import { expect, it } from 'vitest'
import { DAWN, evidence, MINUTE } from '../testing/sample-evidence.ts'
import { incidents } from './incidents.ts'

const event = (type: string, reason?: string, at = DAWN + 1.5 * MINUTE) => ({
  ts: at,
  type,
  subject: { name: 'orders-0', ns: 'shop' },
  ...(reason !== undefined && { reason }),
})
const find = (...list: ReturnType<typeof event>[]) => incidents(evidence(null, {}, { incidents: list }))

it('reports a container that ran out of memory once, with its first event', () => {
  const found = find(event('container_ended', 'OOMKilled'), event('container_restarted', 'OOMKilled'))
  expect(found).toMatchObject([{ kind: 'restart', began: DAWN + 1.5 * MINUTE, after: '2 events' }])
  expect(found[0]?.score).toBeGreaterThan(70)
})

it('a rollout is a note, and what happened long before the window is none', () => {
  expect(find(event('rollout_started'))[0]?.score).toBeLessThan(45)
  expect(find(event('container_ended', 'OOMKilled', DAWN - MINUTE))).toEqual([])
  expect(find(event('container_created'))).toEqual([])
})
