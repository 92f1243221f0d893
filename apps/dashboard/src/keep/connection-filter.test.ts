import { expect, test } from 'vitest'
import { connectionFilter } from './connection-filter.ts'

test('both peers and both ports, each once; a protocol without ports has none', () => {
  const peer = (ip: string, port: number) => ({ ip, port })
  expect(connectionFilter({ src: peer('10.0.0.1', 4711), dst: peer('10.0.0.2', 80) })).toBe(
    'host 10.0.0.1 and host 10.0.0.2 and port 4711 and port 80',
  )
  expect(connectionFilter({ src: peer('fd00::1', 0), dst: peer('fd00::1', 0) })).toBe('host fd00::1')
})
