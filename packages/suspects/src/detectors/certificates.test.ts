import { expect, it } from 'vitest'
import { DAWN, evidence } from '../testing/sample-evidence.ts'
import { certificates } from './certificates.ts'

const DAY = 86_400_000
const find = (...days: number[]) =>
  certificates(
    evidence(
      null,
      {},
      {
        certificates: days.map((left, at) => ({
          server: { name: 'pay' },
          holder: `pay-${at}`,
          notAfter: DAWN + left * DAY,
          seen: DAWN,
        })),
      },
    ),
  )

it('reports an expired certificate, and that other pods of the service have a valid one', () => {
  const [found] = find(200, -1, 200)
  expect(found).toMatchObject({ kind: 'certificate', server: { name: 'pay' } })
  expect(found?.what).toMatch(/expired \(pay-1; 2 of 3 holders have a valid one\)/)
})

it('one that expires soon is a note, and one that is valid for long is none', () => {
  expect(find(3)[0]?.score).toBeLessThan(45)
  expect(find(60)).toEqual([])
})

const presented = (...serials: string[]) =>
  certificates(
    evidence(
      null,
      {},
      {
        certificates: serials.map((serial, at) => ({
          server: { name: 'pay' },
          holder: `pay-${at}`,
          notAfter: DAWN + 200 * DAY,
          seen: DAWN,
          serial,
          issuer: serial === 'odd' ? 'CN=old' : 'CN=new',
        })),
      },
    ),
  )

it('reports the one pod that has another certificate than the others', () => {
  const [found] = presented('a', 'odd', 'a')
  expect(found?.what).toMatch(/^pay-1 of pay presents another certificate .* of another issuer \(CN=old\)/)
})

it('pods that all have the same certificate, or each its own, are as they should be', () => {
  expect(presented('a', 'a', 'a')).toEqual([])
  expect(presented('a', 'b', 'c')).toEqual([])
  expect(presented('a', 'b')).toEqual([])
})
