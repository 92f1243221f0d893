import { expect, test } from 'vitest'
import { podDevices } from './pod-devices.ts'

const at = (address: string, internal = false) => [{ address, internal }]

test('interfaces with an address beyond their link are captured: not loopback, no port of a bridge, no label', () => {
  const interfaces = {
    lo: at('127.0.0.1', true),
    eth0: [...at('fe80::1'), ...at('10.244.1.5')],
    'eth0:1': at('10.244.1.6'),
    port: at('fe80::2'),
    net1: at('2001:db8::1'),
  }
  expect(podDevices(interfaces)).toEqual(['eth0', 'net1'])
})

test('of many interfaces some are captured', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`net${i}`, at(`192.0.2.${i}`)]))
  expect(podDevices(many)).toEqual(['net0', 'net1', 'net2', 'net3'])
})
