import { PassThrough } from 'node:stream'
import {
  Attach,
  CoreV1Api,
  type KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1EphemeralContainer,
  type V1Pod,
} from '@kubernetes/client-node'
import type { Inventory } from '@tapdeck/inventory'
import { findHub, type HubPod } from './find-hub.ts'
import { loadContext, namespaceOf } from './load-context.ts'
import { type LocalForward, openLocalForward } from './local-forward.ts'
import { type WatchedNames, watchNames } from './watch-names.ts'

/** Pods of a cluster, by the rights of the user of the kubeconfig. Methods throw what the client of Kubernetes throws. */
export class ClusterPods {
  readonly #config: KubeConfig
  readonly #core: CoreV1Api

  private constructor(config: KubeConfig) {
    this.#config = config
    this.#core = config.makeApiClient(CoreV1Api)
  }

  /** Default: the current context. Throws if the kubeconfig has no such context. */
  static open(context: string | undefined): ClusterPods {
    return new ClusterPods(loadContext(context))
  }

  /** The namespace of the context. */
  get namespace(): string {
    return namespaceOf(this.#config)
  }

  get(namespace: string, name: string): Promise<V1Pod> {
    return this.#core.readNamespacedPod({ namespace, name })
  }

  /** Undefined if they may not be read. */
  async namespaceLabels(name: string): Promise<Readonly<Record<string, string>> | undefined> {
    try {
      return (await this.#core.readNamespace({ name })).metadata?.labels ?? {}
    } catch {
      return undefined
    }
  }

  /** Adds an ephemeral container to a pod that runs. */
  async addContainer(namespace: string, name: string, container: V1EphemeralContainer): Promise<void> {
    const body = { spec: { ephemeralContainers: [container] } }
    const patch = setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch)
    await this.#core.patchNamespacedPodEphemeralcontainers({ namespace, name, body }, patch)
  }

  /** Writes a line to the standard input of a container; it is stored nowhere on its way. Resolves when the container has answered. */
  async send(namespace: string, name: string, container: string, line: string): Promise<void> {
    const input = new PassThrough()
    const output = new PassThrough()
    const answered = new Promise<void>((resolve) => output.once('data', () => resolve()))
    const errors = new PassThrough().resume()
    const attach = new Attach(this.#config)
    const socket = await attach.attach(namespace, name, container, output, errors, input, false)
    const ended = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
    input.write(`${line}\n`)
    await Promise.race([answered, ended])
    socket.close()
  }

  forward(
    namespace: string,
    pod: string,
    ports: { readonly port: number; readonly localPort: number },
    failed: (reason: string) => void,
  ): Promise<LocalForward> {
    return openLocalForward(this.#config, { namespace, pod, ...ports, failed })
  }

  /** Undefined if there is none. */
  hub(namespace: string | undefined): Promise<HubPod | undefined> {
    return findHub(this.#config, namespace)
  }

  watchNames(namespace: string, changed: (names: Inventory) => Promise<void>): Promise<WatchedNames> {
    return watchNames(this.#config, namespace, changed)
  }
}
