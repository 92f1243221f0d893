import { configSchema } from '@tapdeck/config'
import { expect, it } from 'vitest'
import { PlainHttp, type PlainRequest } from './plain-http.ts'

function accepts(request: Partial<PlainRequest>, hub: object = {}, identifies = true): boolean {
  const plain = new PlainHttp(() => identifies)
  plain.configure(configSchema.parse({ hub }).hub)
  try {
    plain.check({ from: '10.1.2.3', path: '/api/calls', forwardedProto: undefined, ...request })
    return true
  } catch {
    return false
  }
}

it('with authentication, only this machine may leave out TLS', () => {
  expect(accepts({})).toBe(false)
  for (const from of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(accepts({ from })).toBe(true)
  for (const from of ['::ffff:10.1.2.3', 'fe80::1', '']) expect(accepts({ from })).toBe(false)
})

it('without authentication there is no credential to protect', () => {
  expect(accepts({}, {}, false)).toBe(true)
})

it('a proxy that is trusted counts if its client used TLS; other addresses are not believed', () => {
  const hub = { trustedProxies: ['10.1.0.0/16', 'fd00::/8'] }
  expect(accepts({ forwardedProto: 'https' }, hub)).toBe(true)
  expect(accepts({ forwardedProto: 'https', from: '::ffff:10.1.9.9' }, hub)).toBe(true)
  expect(accepts({ forwardedProto: 'https', from: 'fd00::7' }, hub)).toBe(true)
  for (const forwardedProto of ['http', undefined, 'https, http'])
    expect(accepts({ forwardedProto }, hub)).toBe(false)
  expect(accepts({ forwardedProto: 'https', from: '10.2.0.1' }, hub)).toBe(false)
  expect(accepts({ forwardedProto: 'https' })).toBe(false)
})

it('probes need no TLS, and hub.plainHttp switches the rule off', () => {
  expect(accepts({ path: '/healthz' })).toBe(true)
  expect(accepts({ path: '/readyz' })).toBe(true)
  expect(accepts({ path: '/metrics' })).toBe(false)
  expect(accepts({}, { plainHttp: 'anywhere' })).toBe(true)
})

it('what is no address or block is refused with its key', () => {
  expect(configSchema.safeParse({ hub: { trustedProxies: ['ingress'] } }).success).toBe(false)
})
