import { z } from 'zod'
import { metadata, timeOf } from './api-object.ts'
import { addresses } from './pod-record.ts'

const slice = z.object({
  metadata,
  endpoints: z
    .array(
      z.object({
        addresses: z.array(z.string()),
        conditions: z.object({ ready: z.boolean().nullish() }).nullish(),
        targetRef: z
          .object({ kind: z.string().nullish(), name: z.string().nullish(), uid: z.string().nullish() })
          .nullish(),
      }),
    )
    .nullish(),
  ports: z.array(z.object({ port: z.number().nullish() })).nullish(),
})

export interface SliceEndpoint {
  readonly ip: string
  readonly ready: boolean
  readonly podUid?: string
  readonly podName?: string
}

/** What is kept of an endpoint slice. */
export interface SliceRecord {
  readonly uid: string
  readonly namespace: string
  /** The service that it belongs to. */
  readonly service: string
  readonly endpoints: readonly SliceEndpoint[]
  /** Empty: all ports. */
  readonly ports: readonly number[]
  readonly from: number | undefined
}

export function sliceRecord(object: unknown): SliceRecord {
  const { metadata: about, endpoints, ports } = slice.parse(object)
  return {
    uid: about.uid,
    namespace: about.namespace ?? '',
    service: about.labels?.['kubernetes.io/service-name'] ?? '',
    endpoints: (endpoints ?? []).flatMap(({ addresses: ips, conditions, targetRef }) =>
      addresses(ips).map((ip) => ({
        ip,
        ready: conditions?.ready !== false,
        ...(targetRef?.kind === 'Pod' && targetRef.uid && { podUid: targetRef.uid }),
        ...(targetRef?.kind === 'Pod' && targetRef.name && { podName: targetRef.name }),
      })),
    ),
    ports: (ports ?? []).flatMap(({ port }) => (port ? [port] : [])),
    from: timeOf(about.creationTimestamp),
  }
}
