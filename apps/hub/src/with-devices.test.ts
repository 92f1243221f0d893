import { expect, test } from 'vitest'
import { withDevices } from './with-devices.ts'

const n1 = { name: 'n1', ips: ['192.0.2.1'] }
const n2 = { name: 'n2', ips: ['192.0.2.2', '2001:db8::2'] }

test('a node gets the addresses of its devices, each in its canonical form', () => {
  const devices = new Map([['n1', ['192.0.2.1', '10.244.1.0', '2001:DB8:0::1', 'no address']]])
  expect(withDevices([n1, n2], devices)).toEqual([{ ...n1, deviceIps: ['10.244.1.0', '2001:db8::1'] }, n2])
})

test('an address that several nodes have, or that is listed for a node, is left out', () => {
  const devices = new Map([
    ['n1', ['172.17.0.1', '2001:db8:0::2', '10.244.1.1']],
    ['n2', ['172.17.0.1', '172.17.0.1']],
  ])
  expect(withDevices([n1, n2], devices)).toEqual([{ ...n1, deviceIps: ['10.244.1.1'] }, n2])
})

test('a node of the past, and one that is not listed, get none', () => {
  const past = { ...n1, until: 5 }
  const devices = new Map([
    ['n1', ['10.244.1.0']],
    ['n3', ['10.244.3.0']],
  ])
  expect(withDevices([past, n2], devices)).toEqual([past, n2])
})
