import { expect, it } from 'vitest'
import { evidence, podHeaders } from '../testing/sample-evidence.ts'
import { changedHeaders } from './headers.ts'

const find = (before: Record<string, string>, after: Record<string, string>, calls = 10) =>
  changedHeaders(
    evidence(
      { headers: [podHeaders('shop-0', { constant: before })] },
      { headers: [podHeaders('shop-0', { constant: after, calls })] },
    ),
  )

it('reports a release by the header that changed, as a note', () => {
  const [found] = find(
    { 'x-release': '1.4', 'cache-control': 'a' },
    { 'x-release': '1.5', 'cache-control': 'a' },
  )
  expect(found).toMatchObject({ kind: 'header_changed', before: 'x-release: 1.4', after: 'x-release: 1.5' })
  expect(found?.score).toBeLessThan(45)
})

it('stays silent where no header changed, on few calls, and on a header that is not always there', () => {
  expect(find({ 'x-release': '1.4' }, { 'x-release': '1.4' })).toEqual([])
  expect(find({ 'x-release': '1.4' }, { 'x-release': '1.5' }, 2)).toEqual([])
  expect(find({}, { 'set-cookie': 'a=1' })).toEqual([])
})
