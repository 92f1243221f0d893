import { expect, test } from 'vitest'
import { missingLabel } from './missing-label.ts'

test('a node with all labels of a selector is not excluded, one with another or none is, with what it has', () => {
  const selector = { os: 'linux', pool: 'a' }
  expect(missingLabel({}, {})).toBeUndefined()
  expect(missingLabel(selector, { os: 'linux', pool: 'a', zone: 'x' })).toBeUndefined()
  expect(missingLabel(selector, { os: 'linux', pool: 'b' })).toBe(
    'only on nodes with the label pool=a, and this node has pool=b',
  )
  expect(missingLabel(selector, { os: 'linux' })).toBe(
    'only on nodes with the label pool=a, and this node has no label pool',
  )
  expect(missingLabel({ 'role/gpu': '' }, {})).toBe(
    'only on nodes with the label role/gpu=, and this node has no label role/gpu',
  )
})
