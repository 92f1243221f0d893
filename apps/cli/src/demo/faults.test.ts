import { expect, test } from 'vitest'
import type { Behaviour } from './behaviour.ts'
import { demoFaultNames, demoFaults, FaultSwitch } from './faults.ts'
import { Outgoing } from './outgoing.ts'
import { shop } from './shop.ts'

const healthy: Behaviour = () => ({ status: 201, body: {} })
const asked = { method: 'POST', path: '/reservations', body: undefined }
const others = new Outgoing(shop.checkout[0])

async function statuses(behave: Behaviour): Promise<Set<number>> {
  const seen = new Set<number>()
  for (let turn = 0; turn < 200; turn++) seen.add((await behave(asked, others)).status)
  return seen
}

test('the shop is healthy until the switch is thrown, and then only the pods of the fault fail', async () => {
  const fault = new FaultSwitch('deadlock')
  const inventory = fault.behaviour(shop.inventory[0], healthy)
  const cart = fault.behaviour(shop.cart[0], healthy)
  expect(await statuses(inventory)).toEqual(new Set([201]))
  fault.throw()
  expect(await statuses(inventory)).toEqual(new Set([201, 500]))
  expect(await statuses(cart)).toEqual(new Set([201]))
})

test('one pod of two is broken, and its sibling is not', async () => {
  const fault = new FaultSwitch('pod')
  const [well, broken] = shop.catalog.map((pod) => fault.behaviour(pod, healthy)) as [Behaviour, Behaviour]
  fault.throw()
  expect(await statuses(well)).toEqual(new Set([201]))
  expect(await statuses(broken)).toEqual(new Set([201, 503]))
})

test('a fault that refuses connections closes the listeners of its pods, and of no other', () => {
  const closed: string[] = []
  const fault = new FaultSwitch('refused')
  for (const pod of [...shop.payments, ...shop.cart]) fault.onThrow(pod, () => closed.push(pod.name))
  expect(closed).toEqual([])
  fault.throw()
  expect(closed).toEqual(['payments-0'])
})

test('each fault has pods of the shop and a text for the help', () => {
  const pods = Object.values(shop).flat()
  for (const name of demoFaultNames) {
    const { doc, pods: hit } = demoFaults[name]
    expect(doc).not.toBe('')
    expect(hit.length > 0 && hit.every((pod) => pods.some((one) => one === pod))).toBe(true)
  }
})
