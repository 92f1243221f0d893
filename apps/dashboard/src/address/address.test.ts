import { expect, test } from 'vitest'
import { readAddress, writeAddress } from './address.ts'

test('what was written is read back', () => {
  const address = {
    view: 'snapshots' as const,
    kfl: 'dst.svc == "cart & co" and request.path contains "/a?b=#1"',
    db: 'shop-1/all',
    call: 'node-a/123/0',
  }
  const url = new URL(writeAddress('/', address), 'http://hub')
  expect(readAddress(url.search, url.hash)).toEqual(address)
})

test('each view has its own address', () => {
  for (const view of ['calls', 'snapshots', 'recordings'] as const) {
    const url = new URL(writeAddress('/', { view, kfl: '', db: undefined, call: undefined }), 'http://hub')
    expect(readAddress(url.search, url.hash).view).toBe(view)
  }
})

test('the plain page has a plain address', () => {
  expect(writeAddress('/', { view: 'calls', kfl: '', db: undefined, call: undefined })).toBe('/')
  expect(readAddress('', '')).toEqual({ view: 'calls', kfl: '', db: undefined, call: undefined })
})

test('a db that is no dissection is left out', () => {
  expect(readAddress('?db=shop', '').db).toBeUndefined()
  expect(readAddress('?db=a/b/c', '').db).toBeUndefined()
})
