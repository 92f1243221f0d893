import { findHub } from './find-hub.ts'
import { loadContext } from './load-context.ts'
import { type LocalForward, openLocalForward } from './local-forward.ts'

/** How the hub of a cluster is found. */
export interface ForwardOptions {
  /** A context of the kubeconfig. */
  readonly context: string
  /** The namespace of the hub. Absent: it is looked for in all, then in the namespace of the context. */
  readonly namespace?: string
  /** The local port; 0: any that is free. */
  readonly port: number
  /** A connection could not be forwarded. */
  failed(reason: string): void
}

export interface Forward extends LocalForward {
  readonly pod: string
}

/** Forwards a port of this machine to the hub of a cluster. */
export async function openForward({ context, namespace, port, failed }: ForwardOptions): Promise<Forward> {
  const config = loadContext(context)
  const hub = await findHub(config, namespace)
  if (hub === undefined)
    throw new Error(
      `no hub runs ${namespace === undefined ? 'in this cluster' : `in namespace "${namespace}"`}; install one with helm`,
    )
  const forward = await openLocalForward(config, {
    ...{ namespace: hub.namespace, pod: hub.name, port: hub.port },
    ...{ localPort: port, failed },
  })
  return { ...forward, pod: `${hub.namespace}/${hub.name}` }
}
