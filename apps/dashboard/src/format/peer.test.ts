import { expect, test } from 'vitest'
import { address, peerName, peerTitle } from './peer.ts'

const bare = { ip: '10.0.0.7', port: 8080 }
const named = { ...bare, pod: 'cart-6f-x1', svc: 'cart', ns: 'shop' }

test('a peer without a name is its address', () => {
  expect(peerName(bare, 'src')).toBe('10.0.0.7:8080')
  expect(address({ ip: 'fd00::7', port: 53 })).toBe('[fd00::7]:53')
  expect(address({ ip: 'fd00::7', port: 0 })).toBe('fd00::7')
})

test('a caller is shown as its pod, what it calls as its service', () => {
  expect(peerName(named, 'src')).toBe('cart-6f-x1')
  expect(peerName(named, 'dst')).toBe('cart')
  expect(peerName({ ...bare, pod: 'cart-6f-x1' }, 'dst')).toBe('cart-6f-x1')
})

test('the title leaves out what is not known', () => {
  expect(peerTitle(named)).toBe('10.0.0.7:8080 · pod cart-6f-x1 · service cart · namespace shop')
  expect(peerTitle(bare)).toBe('10.0.0.7:8080')
})
