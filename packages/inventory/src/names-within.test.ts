import { expect, test } from 'vitest'
import { namesWithin } from './names-within.ts'

test('keeps what existed in the window, and the endpoints of that time', () => {
  const pod = (name: string, more = {}) => ({ name, namespace: 'n', ips: ['10.0.0.1'], ...more })
  const inventory = {
    pods: [
      pod('before', { until: 99 }),
      pod('over', { from: 50, until: 150 }),
      pod('after', { from: 201 }),
      pod('always'),
    ],
    services: [
      {
        name: 's',
        namespace: 'n',
        endpoints: [
          { ip: '10.0.0.1', until: 50 },
          { ip: '10.0.0.2', from: 120 },
        ],
      },
    ],
    nodes: [
      { name: 'gone', ips: [], until: 10 },
      { name: 'n1', ips: [] },
    ],
  }
  const { pods, services, nodes } = namesWithin(inventory, 100, 200)
  expect(pods.map(({ name }) => name)).toEqual(['over', 'always'])
  expect(services[0]?.endpoints).toEqual([{ ip: '10.0.0.2', from: 120 }])
  expect(nodes?.map(({ name }) => name)).toEqual(['n1'])
})
