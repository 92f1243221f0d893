import { z } from 'zod'
import { metadata, timeOf } from './api-object.ts'

const event = z.object({
  metadata,
  involvedObject: z.object({
    kind: z.string().nullish(),
    namespace: z.string().nullish(),
    name: z.string().nullish(),
    uid: z.string().nullish(),
    fieldPath: z.string().nullish(),
  }),
  type: z.string().nullish(),
  reason: z.string().nullish(),
  message: z.string().nullish(),
  count: z.number().nullish(),
  series: z.object({ count: z.number().nullish(), lastObservedTime: z.string().nullish() }).nullish(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  reportingComponent: z.string().nullish(),
  source: z.object({ component: z.string().nullish() }).nullish(),
})

const MAX_MESSAGE = 1024

/** An event of the cluster, as its components report them. */
export interface EventRecord {
  readonly uid: string
  readonly at: number
  readonly count: number
  readonly warning: boolean
  readonly reason: string
  readonly message: string
  readonly source: string
  readonly object: { readonly kind: string; readonly namespace?: string; readonly name: string }
  /** A container of a pod was created, at `at`. */
  readonly created?: { readonly podUid: string; readonly container: string }
}

export function eventRecord(object: unknown): EventRecord {
  const given = event.parse(object)
  const { involvedObject: about, series } = given
  const created = createdContainer(given)
  return {
    uid: given.metadata.uid,
    at:
      timeOf(series?.lastObservedTime) ??
      timeOf(given.lastTimestamp) ??
      timeOf(given.eventTime) ??
      timeOf(given.firstTimestamp) ??
      timeOf(given.metadata.creationTimestamp) ??
      0,
    count: series?.count ?? given.count ?? 1,
    warning: given.type === 'Warning',
    reason: given.reason ?? '',
    message: (given.message ?? '').slice(0, MAX_MESSAGE),
    source: given.reportingComponent || given.source?.component || '',
    object: {
      kind: about.kind ?? '',
      ...(about.namespace && { namespace: about.namespace }),
      name: about.name ?? '',
    },
    ...(created && { created }),
  }
}

function createdContainer({
  reason,
  involvedObject,
  ...rest
}: z.output<typeof event>): EventRecord['created'] {
  const { kind, uid, fieldPath } = involvedObject
  const isOfKubelet = (rest.reportingComponent || rest.source?.component) === 'kubelet'
  if (!isOfKubelet || reason !== 'Created' || kind !== 'Pod' || !uid || !fieldPath) return undefined
  return { podUid: uid, container: fieldPath }
}
