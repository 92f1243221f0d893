import { expect, test } from 'vitest'
import { linkAddress, ownPorts } from './link-address.ts'

const hub = { url: '', host: '127.0.0.1', port: 8898 }

test('without a URL it is the address on which the hub listens', () => {
  expect(linkAddress(hub).href).toBe('ws://127.0.0.1:8898/internal/worker')
  expect(linkAddress({ ...hub, host: '0.0.0.0' }).hostname).toBe('127.0.0.1')
  expect(linkAddress({ ...hub, host: '::1' }).href).toBe('ws://[::1]:8898/internal/worker')
})

test('a URL may be http or https, with a path', () => {
  expect(linkAddress({ ...hub, url: 'http://tapdeck-hub:80' }).href).toBe('ws://tapdeck-hub/internal/worker')
  expect(linkAddress({ ...hub, url: 'https://example.org/tap/' }).href).toBe(
    'wss://example.org/tap/internal/worker',
  )
  expect(() => linkAddress({ ...hub, url: 'nowhere' })).toThrow(TypeError)
})

test('the ports that carry nothing else are excluded from the capture: behind a Service, packets have that of the hub', () => {
  const portsOf = (url: string) => ownPorts(linkAddress({ ...hub, url }), hub)
  expect(portsOf('')).toEqual([8898])
  expect(portsOf('http://tapdeck.tapdeck.svc:80')).toEqual([8898])
  expect(portsOf('https://example.org')).toEqual([8898])
  expect(portsOf('https://example.org:9443')).toEqual([9443, 8898])
})
