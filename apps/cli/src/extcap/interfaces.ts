import type { OperationRequest } from '@tapdeck/api'
import type { Inventory } from '@tapdeck/inventory'
import type { HubClient } from '../hub/hub-client.ts'

export type PacketSelection = Pick<
  OperationRequest<'stream_packets'>,
  'nodes' | 'namespaces' | 'workloads' | 'pods'
>

/** One entry of the list of interfaces in Wireshark. */
export interface ExtcapInterface {
  readonly value: string
  readonly display: string
}

/** More are no list that a person reads; a KFL filter selects any pod. */
const MAX_OF_A_KIND = 500
const PATIENCE_MS = 3000

/** The interface of all packets, which is there without a hub, too: its options say where the hub is. */
const everything: ExtcapInterface = { value: 'tapdeck', display: 'Tapdeck: all nodes' }

/** All nodes, namespaces, workloads and pods of a hub; without an answer of it, only `everything`. */
export async function listInterfaces(
  hub: HubClient,
  note: (line: string) => void,
): Promise<ExtcapInterface[]> {
  const within = hub.until(AbortSignal.timeout(PATIENCE_MS))
  try {
    const [status, inventory] = await Promise.all([
      within.call('get_status', {}),
      within.call('get_inventory', {}) as Promise<Inventory>,
    ])
    const nodes = status.nodes.map(({ name }) => name)
    return [everything, ...nodes.map(ofNode), ...ofInventory(inventory)]
  } catch (error) {
    note(`tapdeck extcap: ${error instanceof Error ? error.message : String(error)}`)
    return [everything]
  }
}

function ofNode(node: string): ExtcapInterface {
  return { value: `tapdeck-node-${node}`, display: `Tapdeck node ${node}` }
}

/** What is there now. A namespace has no dot, so the first one ends it. */
export function ofInventory({ pods, services }: Inventory): ExtcapInterface[] {
  const running = pods.filter(({ until }) => until === undefined)
  const present = services.filter(({ until }) => until === undefined)
  const namespaces = [...running, ...present].map(({ namespace }) => namespace)
  const workloads = running.flatMap(({ namespace, owners }) => {
    const owner = owners?.at(-1)
    return owner ? [`${namespace}.${owner.name}`] : []
  })
  return [
    ...listed('namespace', namespaces),
    ...listed('workload', workloads),
    ...listed(
      'pod',
      running.map(({ namespace, name }) => `${namespace}.${name}`),
    ),
  ]
}

function listed(kind: 'namespace' | 'workload' | 'pod', names: readonly string[]): ExtcapInterface[] {
  return [...new Set(names)]
    .sort()
    .slice(0, MAX_OF_A_KIND)
    .map((name) => ({
      value: `tapdeck-${kind}-${name}`,
      display: `Tapdeck ${kind} ${name.replace('.', '/')}`,
    }))
}

/** Which packets an interface has; undefined: it is none of ours. */
export function selectionOf(value: string): PacketSelection | undefined {
  if (value === everything.value) return {}
  const [, kind, name = ''] = /^tapdeck-(node|namespace|workload|pod)-(.+)$/.exec(value) ?? []
  if (kind === 'node') return { nodes: name }
  if (kind === 'namespace') return { namespaces: name }
  const dot = name.indexOf('.')
  if (dot < 1) return undefined
  const [namespaces, rest] = [name.slice(0, dot), name.slice(dot + 1)]
  return kind === 'pod' ? { namespaces, pods: rest } : { namespaces, workloads: rest }
}
