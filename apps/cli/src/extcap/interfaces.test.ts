import { expect, it } from 'vitest'
import { describeInterfaces } from './description.ts'
import { ofInventory, selectionOf } from './interfaces.ts'

const owners = [
  { kind: 'ReplicaSet', name: 'cart-7d' },
  { kind: 'Deployment', name: 'cart' },
]
const inventory = {
  pods: [
    { name: 'cart-7d-1', namespace: 'shop', ips: ['10.0.0.1'], owners },
    { name: 'cart-7d-2', namespace: 'shop', ips: ['10.0.0.2'], owners },
    { name: 'gone', namespace: 'old', ips: ['10.0.0.3'], until: 5 },
  ],
  services: [{ name: 'dns', namespace: 'kube-system' }],
}

it('lists the namespaces, workloads and pods that are there now, each once', () => {
  expect(ofInventory(inventory).map(({ value }) => value)).toEqual([
    'tapdeck-namespace-kube-system',
    'tapdeck-namespace-shop',
    'tapdeck-workload-shop.cart',
    'tapdeck-pod-shop.cart-7d-1',
    'tapdeck-pod-shop.cart-7d-2',
  ])
})

it('an interface selects what its name says', () => {
  expect(selectionOf('tapdeck')).toEqual({})
  expect(selectionOf('tapdeck-node-ip-10-0-0-1.eu.internal')).toEqual({ nodes: 'ip-10-0-0-1.eu.internal' })
  expect(selectionOf('tapdeck-namespace-shop')).toEqual({ namespaces: 'shop' })
  expect(selectionOf('tapdeck-workload-shop.cart')).toEqual({ namespaces: 'shop', workloads: 'cart' })
  expect(selectionOf('tapdeck-pod-shop.cart.v2-1')).toEqual({ namespaces: 'shop', pods: 'cart.v2-1' })
  for (const other of ['eth0', 'tapdeck-pod-shop', 'tapdeck-pod-.x', 'tapdeck-king-x'])
    expect(selectionOf(other)).toBeUndefined()
})

it('a name cannot end a value of a sentence', () => {
  const text = describeInterfaces(
    [{ value: 'tapdeck-node-a', display: 'a}{evil=1}\ninterface {value=b' }],
    '1',
  )
  expect(text.split('\n').filter((line) => line.startsWith('interface'))).toEqual([
    'interface {value=tapdeck-node-a}{display=a  evil=1  interface  value=b}',
  ])
})
