import fc from 'fast-check'
import { expect, it } from 'vitest'
import { draftFields, plainFields } from './plain-answer.ts'

const count = fc.oneof(fc.nat(3), fc.constantFrom(63, 64, 1023, 1024, 70_000))
const answers = fc.record({
  hasRows: fc.boolean(),
  rows: count,
  columns: count,
  affected: fc.oneof(fc.constant(-1), count),
  warnings: fc.constantFrom(-1, 0, 1, 2),
  transaction: fc.constantFrom(undefined, true, false),
  noIndex: fc.boolean(),
  slow: fc.boolean(),
})

it('says of each answer what it says, although they share what they say', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      expect(plainFields(answer)).toEqual(draftFields(answer))
    }),
    { numRuns: 2000 },
  )
})

it('is one object for answers that say the same', () => {
  const answer = { rows: 5, columns: 4, hasRows: true, affected: -1, warnings: 0, noIndex: true, slow: false }
  const open = { ...answer, transaction: true }
  expect(plainFields(open)).toBe(plainFields({ ...open }))
  expect(plainFields(open)).toEqual({ rows: 5, columns: 4, warnings: 0, transaction: true, no_index: true })
  expect(plainFields({ ...answer, transaction: false })).not.toBe(plainFields(open))
})
