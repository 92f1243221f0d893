import { z } from 'zod'
import { metadata, shortAnnotations, someLabels, timeOf } from './api-object.ts'
import { addresses } from './pod-record.ts'

const ingress = z.object({ ip: z.string().nullish() })
const service = z.object({
  metadata,
  spec: z.object({
    type: z.string().nullish(),
    clusterIP: z.string().nullish(),
    clusterIPs: z.array(z.string()).nullish(),
    externalIPs: z.array(z.string()).nullish(),
    externalName: z.string().nullish(),
    ports: z.array(z.object({ port: z.number(), nodePort: z.number().nullish() })).nullish(),
  }),
  status: z.object({ loadBalancer: z.object({ ingress: z.array(ingress).nullish() }).nullish() }).nullish(),
})

/** What is kept of a service. */
export interface ServiceRecord {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  /** Cluster addresses, external ones, those of its load balancer. None for a headless service. */
  readonly ips: readonly string[]
  readonly nodePorts: readonly number[]
  readonly externalName?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly from: number | undefined
}

export function serviceRecord(object: unknown): ServiceRecord {
  const { metadata: about, spec, status } = service.parse(object)
  const labels = someLabels(about.labels)
  const annotations = shortAnnotations(about.annotations)
  return {
    uid: about.uid,
    name: about.name,
    namespace: about.namespace ?? '',
    ips: addresses([
      ...(spec.clusterIPs ?? [spec.clusterIP]),
      ...(spec.externalIPs ?? []),
      ...(status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip),
    ]),
    nodePorts: [...new Set((spec.ports ?? []).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])))],
    ...(spec.type === 'ExternalName' && spec.externalName && { externalName: spec.externalName }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    from: timeOf(about.creationTimestamp),
  }
}
