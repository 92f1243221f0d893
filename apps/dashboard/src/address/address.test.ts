import { expect, test } from 'vitest'
import { readAddress, writeAddress } from './address.ts'
import { viewNames } from './views.ts'

const plain = {
  view: 'calls',
  kfl: '',
  db: undefined,
  start: undefined,
  end: undefined,
  last: '15m',
  call: undefined,
  tab: 'overview',
  by: 'service',
  find: '',
  kind: 'all',
  map: '',
  baseline: 'change',
  doc: '',
} as const

test('what was written is read back', () => {
  const address = {
    view: 'snapshots' as const,
    kfl: 'dst.svc == "cart & co" and request.path contains "/a?b=#1"',
    db: 'shop-1/all',
    start: 1_794_762_934_141,
    end: 1_794_763_147_121,
    last: '6h' as const,
    call: 'node-a/123/0',
    tab: 'timing' as const,
    by: 'path' as const,
    find: 'cart & co',
    kind: 'os' as const,
    map: 'level=pod&focus=a%2Fb',
    baseline: 'before' as const,
    doc: '',
  }
  const url = new URL(writeAddress('/', address), 'http://hub')
  expect(readAddress(url.search, url.hash)).toEqual(address)
})

test('each view has its own address', () => {
  for (const view of viewNames) {
    const url = new URL(writeAddress('/', { ...plain, view }), 'http://hub')
    expect(readAddress(url.search, url.hash).view).toBe(view)
  }
})

test('the plain page has a plain address', () => {
  expect(writeAddress('/', plain)).toBe('/')
  expect(readAddress('', '')).toEqual(plain)
})

test('a db that is no dissection is left out, and so is a time that is none', () => {
  expect(readAddress('?db=shop', '').db).toBeUndefined()
  expect(readAddress('?db=a/b/c', '').db).toBeUndefined()
  expect(readAddress('?db=recording&start=yesterday&end=1e9&last=3m', '')).toEqual({
    ...plain,
    db: 'recording',
  })
})

test('a section of the documentation is in the address', () => {
  const address = { ...plain, view: 'docs' as const, kfl: 'http', doc: 'decisions/rewind:how' }
  const url = new URL(writeAddress('/', address), 'http://hub')
  expect(url.hash).toBe('#docs/decisions/rewind:how')
  expect(readAddress(url.search, url.hash)).toEqual(address)
})
