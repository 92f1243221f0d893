import { expect, test } from 'vitest'
import { linkAddress, ownPort } from './link-address.ts'

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

test('only a port that carries nothing else is excluded from the capture', () => {
  expect(ownPort(linkAddress(hub))).toBe(8898)
  expect(ownPort(linkAddress({ ...hub, url: 'https://example.org' }))).toBeUndefined()
  expect(ownPort(linkAddress({ ...hub, url: 'http://tapdeck-hub' }))).toBeUndefined()
})
