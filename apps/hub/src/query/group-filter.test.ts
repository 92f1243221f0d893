import { captureErrors, protocols, unfinished } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { expect, test } from 'vitest'
import { FAILED, type FilterDimension, groupFilter } from './group-filter.ts'

const catalog = createCatalog(protocols)

test.each<[FilterDimension, string, object, object]>([
  ['service', 'cart', { dst: { svc: 'cart' } }, { dst: { svc: 'cart2', pod: 'cart' } }],
  ['service', 'cart-1', { dst: { pod: 'cart-1' } }, { dst: { pod: 'cart-1', svc: 'cart' } }],
  ['service', '10.0.0.1:80', { dst: { ip: '10.0.0.1', port: 80 } }, { dst: { ip: '10.0.0.1', port: 81 } }],
  ['service', 'fe80::1:80', { dst: { ip: 'fe80::1', port: 80 } }, { dst: { ip: 'fe80::1:80', port: 1 } }],
  ['workload', 'cart', { dst: { pod: 'cart-7d9f8b6c5d-x2x4z' } }, { dst: { pod: 'cartridge-1' } }],
  ['service', 'odd:80', { dst: { svc: 'odd:80' } }, { dst: { ip: '10.0.0.1', port: 80 } }],
  ['workload', 'db', { dst: { pod: 'db-0' } }, { dst: { pod: 'db-x' } }],
  ['path', '/users/{id}', { path: '/users/42' }, { path: '/users/new' }],
  ['path', '/a.b(c)', { path: '/a.b(c)' }, { path: '/aXb(c)' }],
  ['path', '(unknown)', {}, { path: '/' }],
  ['status', '503', { status: 503 }, { status: 200 }],
  ['status', '(unknown)', {}, { status: 200 }],
  ['proto', 'http', { proto: 'http' }, { proto: 'dns' }],
  ['src', 'front', { src: { pod: 'front' } }, { src: { pod: 'x', svc: 'front' } }],
  ['dst', '10.0.0.1', { dst: { ip: '10.0.0.1' } }, { dst: { ip: '10.0.0.1', pod: 'p' } }],
  ['node', 'n1', { node_id: 'n1' }, { node_id: 'n1', dst: { node: 'n2' } }],
  ['ns', 'shop', { dst: { ns: 'shop' } }, { src: { ns: 'shop' } }],
  ['ns', '(unknown)', { dst: {} }, { dst: { ns: 'x' } }],
  ['path', 'cart:\b\f\u0001', { path: 'cart:\b\f\u0001' }, { path: 'cart:' }],
  ['path', '/a\b/{id}', { path: '/a\b/42' }, { path: '/a/42' }],
  ['service', 'o"brien\\', { dst: { svc: 'o"brien\\' } }, { dst: { svc: 'o' } }],
])('%s %s: it selects the calls of the group and no others', (by, group, inside, outside) => {
  const filter = compile(groupFilter(by, { group }), catalog)
  expect(filter.matches(inside)).toBe(true)
  expect(filter.matches(outside)).toBe(false)
})

test.each<[FilterDimension, 'src' | 'dst']>([
  ['service', 'dst'],
  ['workload', 'dst'],
  ['dst', 'dst'],
  ['src', 'src'],
])('%s: a name of one namespace does not select that of another', (by, side) => {
  const filter = compile(groupFilter(by, { group: 'cart', ns: 'shop' }), catalog)
  expect(filter.matches({ [side]: { pod: 'cart', svc: 'cart', ns: 'shop' } })).toBe(true)
  expect(filter.matches({ [side]: { pod: 'cart', svc: 'cart', ns: 'staging' } })).toBe(false)
  expect(filter.matches({ [side]: { pod: 'cart', svc: 'cart' } })).toBe(false)
})

test.each<[object, boolean, boolean]>([
  [{ error: '503 Service Unavailable' }, true, false],
  [{ error: 'no_response' }, true, false],
  [{ error: unfinished }, false, false],
  ...captureErrors.map((error): [object, boolean, boolean] => [{ error }, false, true]),
  [{}, false, false],
])('a call with %o failed: %s, is partial: %s', (call, failed, partial) => {
  expect(compile(FAILED, catalog).matches(call)).toBe(failed)
  expect(compile('partial', catalog).matches(call)).toBe(partial)
})
