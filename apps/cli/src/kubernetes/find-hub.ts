import { CoreV1Api, type KubeConfig, type V1Pod } from '@kubernetes/client-node'
import { namespaceOf } from './load-context.ts'

const SELECTOR = 'app.kubernetes.io/name=tapdeck,app.kubernetes.io/component=hub'
const DEFAULT_PORT = 8898

/** The pod of a hub. */
export interface HubPod {
  readonly namespace: string
  readonly name: string
  readonly port: number
  readonly image: string | undefined
}

/**
 * The hub of a cluster, in `namespace` or, without one, in all, or in the namespace of the context if listing all is not permitted.
 * Undefined if there is none. Throws if it is not ready, or if there are several.
 */
export async function findHub(
  config: KubeConfig,
  namespace: string | undefined,
): Promise<HubPod | undefined> {
  const api = config.makeApiClient(CoreV1Api)
  const within = (one: string) => api.listNamespacedPod({ namespace: one, labelSelector: SELECTOR })
  const found = await (namespace !== undefined
    ? within(namespace)
    : api.listPodForAllNamespaces({ labelSelector: SELECTOR }).catch((error: { code?: unknown }) => {
        // Who may not list pods everywhere may do so in a namespace.
        if (error.code === 403) return within(namespaceOf(config))
        throw error
      }))
  const ready = found.items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True'),
  )
  const [pod] = ready
  if (pod === undefined) {
    if (found.items.length === 0) return undefined
    const names = found.items.map(({ metadata }) => metadata?.name).join(', ')
    throw new Error(`the hub of this cluster is not ready: ${names}`)
  }
  const namespaces = new Set(ready.map(({ metadata }) => metadata?.namespace))
  if (namespaces.size > 1)
    throw new Error(
      `several hubs run in this cluster; choose one by its namespace: ${[...namespaces].join(', ')}`,
    )
  return hubPod(pod)
}

function hubPod({ metadata, spec }: V1Pod): HubPod {
  const containers = spec?.containers ?? []
  const ports = containers.flatMap((one) => one.ports ?? [])
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    port: ports.find(({ name }) => name === 'http')?.containerPort ?? DEFAULT_PORT,
    image: containers[0]?.image,
  }
}
