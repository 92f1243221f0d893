import { z } from 'zod'
import { controllerOf, metadata, type OwnerReference } from './api-object.ts'

/** What is kept of an object that only leads to its owner: a ReplicaSet, a Job. */
export interface OwnedRecord {
  readonly uid: string
  readonly owner?: OwnerReference
}

const owned = z.object({ metadata })

export function ownedRecord(object: unknown): OwnedRecord {
  const { metadata: about } = owned.parse(object)
  const owner = controllerOf(about)
  return { uid: about.uid, ...(owner && { owner }) }
}

export interface NamespaceRecord {
  readonly uid: string
  readonly name: string
}

export function namespaceRecord(object: unknown): NamespaceRecord {
  const { uid, name } = owned.parse(object).metadata
  return { uid, name }
}

const count = z.number().nullish()
const workload = z.object({
  metadata,
  spec: z.object({
    replicas: count,
    template: z
      .object({
        spec: z.object({ containers: z.array(z.object({ image: z.string().nullish() })) }).nullish(),
      })
      .nullish(),
  }),
  status: z
    .object({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      availableReplicas: count,
      desiredNumberScheduled: count,
      updatedNumberScheduled: count,
      numberAvailable: count,
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), reason: z.string().nullish() }))
        .nullish(),
    })
    .nullish(),
})

/** What is kept of a Deployment, StatefulSet or DaemonSet: how far its rollout is. */
export interface WorkloadRecord {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly images: readonly string[]
  readonly wanted: number
  readonly updated: number
  readonly available: number
  /** All pods are of the newest template, and available. */
  readonly complete: boolean
  readonly stalled: boolean
  /** Counts changes of the specification: pods that fail do not change it. */
  readonly generation: number
}

export function workloadRecord(object: unknown): WorkloadRecord {
  const { metadata: about, spec, status } = workload.parse(object)
  const wanted = status?.desiredNumberScheduled ?? spec.replicas ?? 1
  const updated = status?.updatedNumberScheduled ?? status?.updatedReplicas ?? 0
  const available = status?.numberAvailable ?? status?.availableReplicas ?? 0
  const running = status?.desiredNumberScheduled ?? status?.replicas ?? 0
  const observed = (status?.observedGeneration ?? 0) >= (about.generation ?? 0)
  return {
    uid: about.uid,
    name: about.name,
    namespace: about.namespace ?? '',
    images: (spec.template?.spec?.containers ?? []).flatMap(({ image }) => (image ? [image] : [])),
    wanted,
    updated,
    available,
    complete: observed && updated >= wanted && running <= wanted && available >= wanted,
    generation: about.generation ?? 0,
    stalled: (status?.conditions ?? []).some(
      ({ type, status: state, reason }) =>
        type === 'Progressing' && state === 'False' && reason === 'ProgressDeadlineExceeded',
    ),
  }
}
