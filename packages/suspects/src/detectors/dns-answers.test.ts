import { expect, it } from 'vitest'
import type { NameAnswers } from '../evidence.ts'
import { evidence } from '../testing/sample-evidence.ts'
import { changedAnswers } from './dns-answers.ts'

const answers = (addresses: string[], owners: string[], lookups = 10): NameAnswers => ({
  client: { name: 'checkout' },
  server: { name: 'dns' },
  name: 'payments.shop',
  lookups,
  addresses,
  owners,
})
const find = (before: NameAnswers, after: NameAnswers) =>
  changedAnswers(evidence({ answers: [before] }, { answers: [after] }))

it('reports a name that leads to another service', () => {
  const [found] = find(answers(['10.0.0.1'], ['payments']), answers(['10.0.0.9'], ['archive']))
  expect(found).toMatchObject({
    kind: 'dns_answer_changed',
    client: { name: 'checkout' },
    server: { name: 'dns' },
  })
  expect(found?.what).toContain('10.0.0.9, which belongs to archive')
})

it('stays silent on new pods of the same service, on addresses that take turns, and on few lookups', () => {
  expect(find(answers(['10.0.0.1'], ['payments']), answers(['10.0.0.2'], ['payments']))).toEqual([])
  expect(find(answers(['10.0.0.1', '10.0.0.2'], []), answers(['10.0.0.2'], []))).toEqual([])
  expect(find(answers(['10.0.0.1'], ['payments']), answers(['10.0.0.9'], ['archive'], 2))).toEqual([])
})
