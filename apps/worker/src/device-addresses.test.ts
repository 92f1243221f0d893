import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { DeviceAddresses, deviceAddresses } from './device-addresses.ts'

const at = (address: string, internal = false) => ({ address, internal }) as NetworkInterfaceInfo

test('addresses of tunnels and bridges are among those of the machine, loopback and link-local ones are not', () => {
  const devices = {
    lo: [at('127.0.0.1', true), at('10.9.9.9', true)],
    eth0: [at('192.0.2.1'), at('fe80::1'), at('2001:db8::1')],
    'flannel.1': [at('10.244.1.0')],
    cni0: [at('10.244.1.1'), at('febf::1'), at('fec0::1')],
    cali1: [at('169.254.1.1')],
    // All Services, on each node.
    'kube-ipvs0': [at('10.96.0.1')],
    other: [at('10.244.1.0')],
  }
  expect(deviceAddresses(devices)).toEqual([
    ...['10.244.1.0', '10.244.1.1', '192.0.2.1', '2001:db8::1', 'fec0::1'],
  ])
})

test('a report has at most 256', () => {
  const many = Array.from({ length: 300 }, (_, i) => at(`10.0.${i >> 8}.${i & 255}`))
  expect(deviceAddresses({ eth0: many })).toHaveLength(256)
})

test('the list is kept for some seconds', () => {
  const devices = new DeviceAddresses()
  expect(devices.read()).toBe(devices.read())
})
