import { expect, test } from 'vitest'
import { nodeRecord } from '../kubernetes/node-record.ts'
import { ExpectedNodes } from './expected-nodes.ts'

function node(name: string, labels: Record<string, string>, creationTimestamp?: string) {
  return nodeRecord({ metadata: { uid: name, name, labels, creationTimestamp } })
}

const nodes = () => [
  node('linux', { os: 'linux', pool: 'a' }, '2026-01-01T00:00:00Z'),
  node('windows', { os: 'windows', pool: 'a' }),
]

test('a worker is expected on each node of the cluster that has the labels of the configuration', () => {
  const all = new ExpectedNodes({ nodes, selector: {} }).all
  expect(all).toEqual([{ name: 'linux', since: Date.UTC(2026, 0, 1) }, { name: 'windows' }])
  const linux = new ExpectedNodes({ nodes, selector: { os: 'linux', pool: 'a' } }).all
  expect(linux.map(({ name }) => name)).toEqual(['linux'])
  expect(new ExpectedNodes({ nodes, selector: {} }).excluded).toEqual([])
  expect(new ExpectedNodes({ nodes, selector: { os: 'linux' } }).excluded).toEqual([
    {
      name: 'windows',
      reason:
        'tap.kubernetes.workerNodes (nodeSelector.worker of the chart) lets workers run only on nodes with the label os=linux, and this node has os=windows',
    },
  ])
  expect(new ExpectedNodes({ nodes, selector: { pool: 'b' } }).all).toEqual([])
})

test('a finer reason comes with the node', () => {
  const reasonOf = ({ name }: { name: string }) =>
    name === 'linux' ? 'its image cannot be pulled' : undefined
  const { all } = new ExpectedNodes({ nodes, selector: {}, reasonOf })
  expect(all.map(({ reason }) => reason)).toEqual(['its image cannot be pulled', undefined])
})
