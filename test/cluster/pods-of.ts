import { kubectl } from './test-cluster.ts'

export interface RunningPod {
  readonly name: string
  readonly node: string
  readonly address: string
}

/** Running pods of a workload by its label `app`, ordered by node. */
export async function podsOf(app: string): Promise<readonly RunningPod[]> {
  const selectors = ['-l', `app=${app}`, '--field-selector=status.phase=Running', '-o', 'json']
  const { items } = JSON.parse(await kubectl('get', 'pods', ...selectors)) as {
    items: readonly {
      metadata: { name: string; deletionTimestamp?: string }
      spec: { nodeName: string }
      status: { podIP: string }
    }[]
  }
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, spec, status }) => ({
      ...{ name: metadata.name, node: spec.nodeName, address: status.podIP },
    }))
    .sort((one, other) => one.node.localeCompare(other.node))
}
