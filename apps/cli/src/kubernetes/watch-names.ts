import {
  CoreV1Api,
  DiscoveryV1Api,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node'
import type { Inventory } from '@tapdeck/inventory'
import { type ClusterObjects, namesOf } from './cluster-names.ts'

/** Changes within this time are passed on together. */
const GATHER_MS = 500
const RETRY_MS = 5000

export interface WatchedNames {
  /** What cannot be named, and why. */
  readonly lacks: readonly string[]
  close(): void
}

interface Kind {
  readonly what: string
  readonly path: (scope: string) => string
  readonly all: () => Promise<KubernetesListObject<KubernetesObject>>
  readonly within: () => Promise<KubernetesListObject<KubernetesObject>>
}

/**
 * Follows the pods and Services that the user of the kubeconfig may list: those of the cluster, else those of `namespace`.
 * `changed` gets all names each time, first before this resolves.
 */
export async function watchNames(
  config: KubeConfig,
  namespace: string,
  changed: (names: Inventory) => Promise<void>,
): Promise<WatchedNames> {
  const core = config.makeApiClient(CoreV1Api)
  const discovery = config.makeApiClient(DiscoveryV1Api)
  let current: (() => Inventory) | undefined
  let timer: NodeJS.Timeout | undefined
  const later = () => {
    // Until all kinds are listed, Services would lack their pods.
    if (current === undefined) return
    timer ??= setTimeout(() => {
      timer = undefined
      if (current) void changed(current()).catch(() => {})
    }, GATHER_MS)
  }
  const pods = await follow(config, namespace, later, {
    what: 'pods',
    path: (scope) => `/api/v1${scope}/pods`,
    all: () => core.listPodForAllNamespaces(),
    within: () => core.listNamespacedPod({ namespace }),
  })
  const services = await follow(config, namespace, later, {
    what: 'Services',
    path: (scope) => `/api/v1${scope}/services`,
    all: () => core.listServiceForAllNamespaces(),
    within: () => core.listNamespacedService({ namespace }),
  })
  const slices = await follow(config, namespace, later, {
    what: 'endpoint slices',
    path: (scope) => `/apis/discovery.k8s.io/v1${scope}/endpointslices`,
    all: () => discovery.listEndpointSliceForAllNamespaces(),
    within: () => discovery.listNamespacedEndpointSlice({ namespace }),
  })
  current = () =>
    namesOf({ pods: pods.list(), services: services.list(), slices: slices.list() } as ClusterObjects)
  await changed(current())
  return {
    lacks: [pods, services, slices].flatMap(({ lack }) => lack ?? []),
    close() {
      clearTimeout(timer)
      for (const one of [pods, services, slices]) one.stop()
    },
  }
}

async function follow(config: KubeConfig, namespace: string, changed: () => void, kind: Kind) {
  const attempt = async (scope: string, list: Kind['all']) => {
    const informer = makeInformer<KubernetesObject>(config, kind.path(scope), list)
    let isListed = false
    let isClosed = false
    let failure: unknown
    informer.on('change', changed)
    // A list that fails is reported this way only.
    informer.on('error', (error: unknown) => {
      failure = error
      if (isListed && !isClosed) setTimeout(() => void informer.start().catch(() => {}), RETRY_MS).unref()
    })
    await informer.start()
    if (failure !== undefined) throw failure
    isListed = true
    return {
      list: () => informer.list(),
      stop() {
        isClosed = true
        void informer.stop()
      },
    }
  }
  try {
    return { ...(await attempt('', kind.all)), lack: undefined }
  } catch (error) {
    if (!isForbidden(error)) throw error
  }
  try {
    const lack = `${kind.what} of other namespaces, because you may not list them`
    return { ...(await attempt(`/namespaces/${namespace}`, kind.within)), lack }
  } catch (error) {
    if (!isForbidden(error)) throw error
    return { list: () => [], stop: () => {}, lack: `${kind.what}, because you may not list them` }
  }
}

function isForbidden(error: unknown): boolean {
  return (error as { code?: unknown }).code === 403
}
