import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { LiveCall } from '@tapdeck/api'

const MAX_KNOWN = 1000

/** The resources of spans: one object for each service, because exporters group spans by it. */
export class ServiceResources {
  readonly #known = new Map<string, Resource>()

  of({ ip, svc, pod, ns }: LiveCall['dst']): Resource {
    const key = JSON.stringify([svc, pod, ns, ip])
    const known = this.#known.get(key)
    if (known) return known
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    const made = resourceFromAttributes({
      'service.name': svc ?? pod ?? ip,
      ...(ns !== undefined && { 'service.namespace': ns, 'k8s.namespace.name': ns }),
      ...(pod !== undefined && { 'k8s.pod.name': pod }),
    })
    this.#known.set(key, made)
    return made
  }
}
