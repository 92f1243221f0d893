import { expect, test } from 'vitest'
import { readAddress, writeAddress } from '../../address/address.ts'
import { sourceChange } from './source-change.ts'

const address = { ...readAddress('', ''), kfl: 'http' }

test('the link of a rewind has its window', () => {
  const { search, hash } = new URL(
    writeAddress('/', { ...address, ...sourceChange('recording', 1_700_000_300_000) }),
    'http://hub',
  )
  expect(readAddress(search, hash)).toMatchObject({
    db: 'recording',
    kfl: 'http',
    start: 1_700_000_000_000,
    end: 1_700_000_300_000,
  })
})

test('another source has no window', () => {
  const window = sourceChange('recording', 1_700_000_300_000)
  expect({ ...address, ...window, ...sourceChange('s/d', 0) }).toMatchObject({
    start: undefined,
    end: undefined,
  })
})
