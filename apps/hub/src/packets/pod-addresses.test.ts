import { Conversation, ETHERNET } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import { addressTest, type PodSelection, podAddresses } from './pod-addresses.ts'

const inventory = {
  pods: [
    { name: 'cart-1', namespace: 'shop', ips: ['10.0.0.1'], owners: [{ kind: 'Deployment', name: 'cart' }] },
    { name: 'old-1', namespace: 'shop', ips: ['10.0.0.9'], until: 1000 },
    { name: 'agent', namespace: 'system', ips: ['10.9.0.1'], ports: [9100] },
  ],
  services: [{ name: 'orders', namespace: 'shop', ips: ['10.1.0.1'] }],
}
const all: PodSelection = { namespaces: [], workloads: [], pods: [] }
const now = { start: 2000, end: 3000 }
const ips = (selection: Partial<PodSelection>, window = now) => [
  ...podAddresses(inventory, { ...all, ...selection }, window).keys(),
]

it('a pod must be of each list, and must have been there in the window', () => {
  expect(ips({ namespaces: ['shop'] })).toEqual(['10.0.0.1', '10.1.0.1'])
  expect(ips({ namespaces: ['shop'] }, { start: 0, end: 500 })).toContain('10.0.0.9')
  expect(ips({ workloads: ['cart'] })).toEqual(['10.0.0.1'])
  expect(ips({ pods: ['cart-1'], namespaces: ['system'] })).toEqual([])
})

it('a packet is wanted by one of its ends; an address that is shared counts at the ports of the pod only', () => {
  const isWanted = (client: string, server: string, clientPort: number, serverPort: number) => {
    const talk = new Conversation({ client, server, clientPort, serverPort, start: 0 })
    talk.handshake()
    const { data } = talk.packets[0]!
    const addresses = podAddresses(inventory, { ...all, pods: ['cart-1', 'agent'] }, now)
    return addressTest(addresses)(data, 0, data.length, data.length, 0, ETHERNET)
  }
  expect(isWanted('10.0.0.1', '10.7.7.7', 4000, 80)).toBe(true)
  expect(isWanted('10.7.7.7', '10.0.0.1', 4000, 80)).toBe(true)
  expect(isWanted('10.7.7.7', '10.8.8.8', 4000, 80)).toBe(false)
  expect(isWanted('10.7.7.7', '10.9.0.1', 4000, 9100)).toBe(true)
  expect(isWanted('10.7.7.7', '10.9.0.1', 4000, 22)).toBe(false)
})
