import { once } from 'node:events'
import { FakeWorker } from '../../apps/hub/src/testing/fake-worker.ts'
import { ManyNodes } from '../../apps/hub/src/testing/many-nodes.ts'
import { credential } from '../../apps/hub/src/testing/start-hub.ts'

/** Simulated workers in a process of their own, so that the memory of the hub's process is that of the hub. */
export interface Order {
  readonly port: number
  readonly nodes: number
}

const [order] = (await once(process, 'message')) as [Order]
const nodes = new ManyNodes(order.nodes)
for (let at = 0; at < order.nodes; at++)
  await new FakeWorker(order.port, credential, ManyNodes.nameOf(at), nodes.answersOf(at), {
    indexing: true,
  }).joined()
