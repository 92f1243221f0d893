import { createServer, type Server, type Socket } from 'node:net'
import { CoreV1Api, KubeConfig, PortForward, type V1Pod } from '@kubernetes/client-node'

/** How the hub of a cluster is found. */
export interface ForwardOptions {
  /** A context of the kubeconfig (`KUBECONFIG`, else ~/.kube/config). */
  readonly context: string
  /** The namespace of the hub. Absent: it is looked for in all, then in the namespace of the context. */
  readonly namespace?: string
  /** The local port; 0: any that is free. */
  readonly port: number
  /** A connection could not be forwarded. */
  failed(reason: string): void
}

export interface Forward {
  readonly url: string
  readonly pod: string
  close(): void
}

const SELECTOR = 'app.kubernetes.io/name=tapdeck,app.kubernetes.io/component=hub'
const DEFAULT_PORT = 8898

/** Listens on this machine and passes each connection on to the hub of a cluster, as `kubectl port-forward` does. */
export async function openForward(options: ForwardOptions): Promise<Forward> {
  const config = loadContext(options.context)
  const forward = new PortForward(config, true)
  const pod = await findHub(config, options.namespace)
  const name = pod.metadata?.name ?? ''
  const namespace = pod.metadata?.namespace ?? ''
  const port = portOf(pod)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.pause()
    forward
      .portForward(namespace, name, [port], socket, null, socket)
      .then((link) => {
        if (typeof link === 'function') return
        link.on?.('close', () => socket.end())
        socket.on('close', () => link.close())
        socket.resume()
      })
      .catch((error: unknown) => {
        options.failed(messageOf(error))
        socket.destroy()
      })
  })
  const local = await listen(server, options.port)
  return {
    url: `http://127.0.0.1:${local}`,
    pod: `${namespace}/${name}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function loadContext(context: string): KubeConfig {
  const config = new KubeConfig()
  config.loadFromDefault()
  const known = config.getContexts().map(({ name }) => name)
  if (!known.includes(context))
    throw new Error(
      `the kubeconfig has no context "${context}"; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
    )
  config.setCurrentContext(context)
  return config
}

async function findHub(config: KubeConfig, namespace: string | undefined): Promise<V1Pod> {
  const api = config.makeApiClient(CoreV1Api)
  const own = config.getContextObject(config.getCurrentContext())?.namespace ?? 'default'
  const within = (one: string) => api.listNamespacedPod({ namespace: one, labelSelector: SELECTOR })
  const found = await (namespace !== undefined
    ? within(namespace)
    : api.listPodForAllNamespaces({ labelSelector: SELECTOR }).catch((error: { code?: unknown }) => {
        // Who may not list pods everywhere may do so in a namespace.
        if (error.code === 403) return within(own)
        throw error
      }))
  const ready = found.items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True'),
  )
  const [pod, ...others] = ready
  if (pod === undefined)
    throw new Error(
      found.items.length > 0
        ? `the hub of this cluster is not ready: ${found.items.map(({ metadata }) => metadata?.name).join(', ')}`
        : `no hub runs ${namespace === undefined ? 'in this cluster' : `in namespace "${namespace}"`}; install one with helm`,
    )
  const namespaces = new Set(ready.map(({ metadata }) => metadata?.namespace))
  if (others.length > 0 && namespaces.size > 1)
    throw new Error(
      `several hubs run in this cluster; choose one by --namespace: ${[...namespaces].join(', ')}`,
    )
  return pod
}

function portOf({ spec }: V1Pod): number {
  const ports = (spec?.containers ?? []).flatMap((one) => one.ports ?? [])
  return ports.find(({ name }) => name === 'http')?.containerPort ?? DEFAULT_PORT
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Errors of the client carry the whole answer; those of a socket carry their cause. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : String(error)
}
