import { KubeConfig } from '@kubernetes/client-node'

/** The kubeconfig (`KUBECONFIG`, else ~/.kube/config) with a context of it. Default: its current one. Throws if there is none. */
export function loadContext(context: string | undefined): KubeConfig {
  const config = new KubeConfig()
  config.loadFromDefault()
  const known = config.getContexts().map(({ name }) => name)
  const wanted = context ?? config.getCurrentContext()
  if (!known.includes(wanted))
    throw new Error(
      `the kubeconfig has no context "${wanted}"; it has ${known.length > 0 ? known.join(', ') : 'none'}`,
    )
  config.setCurrentContext(wanted)
  return config
}

/** The namespace of the current context. */
export function namespaceOf(config: KubeConfig): string {
  return config.getContextObject(config.getCurrentContext())?.namespace ?? 'default'
}
