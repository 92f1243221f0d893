import { expect, it } from 'vitest'
import { OwnConnections } from './own-connections.ts'

it('knows the latest of our own connections, however their address was written', () => {
  const own = new OwnConnections()
  own.add('::ffff:10.0.0.1', 5)
  own.add('fd00::1', 5)
  expect(own.has({ ip: '10.0.0.1', port: 5 })).toBe(true)
  expect(own.has({ ip: 'fd00::1', port: 5 })).toBe(true)
  expect(own.has({ ip: '10.0.0.1', port: 6 })).toBe(false)
  for (let port = 1; port <= 4096; port++) own.add('10.0.0.2', port)
  expect(own.has({ ip: '10.0.0.1', port: 5 })).toBe(false)
  expect(own.has({ ip: '10.0.0.2', port: 4096 })).toBe(true)
})
