import { z } from 'zod'

const text = z.string()
const texts = z.record(text, text)

const owner = z.object({ kind: text, name: text, uid: text, controller: z.boolean().nullish() })

/** What every object has. */
export const metadata = z.object({
  uid: text,
  name: text,
  namespace: text.nullish(),
  resourceVersion: text.nullish(),
  generation: z.number().nullish(),
  creationTimestamp: text.nullish(),
  deletionTimestamp: text.nullish(),
  labels: texts.nullish(),
  annotations: texts.nullish(),
  ownerReferences: z.array(owner).nullish(),
})

export type Metadata = z.output<typeof metadata>

/** Unix milliseconds of a time of the API; undefined where there is none. */
export function timeOf(value: string | null | undefined): number | undefined {
  if (!value) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

/** The owner that manages the object. */
export function controllerOf({ ownerReferences }: Metadata): OwnerReference | undefined {
  const owners = ownerReferences ?? []
  const controller = owners.find((one) => one.controller) ?? owners[0]
  return controller && { kind: controller.kind, name: controller.name, uid: controller.uid }
}

export interface OwnerReference {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

const MAX_ANNOTATION = 256
const MAX_ANNOTATIONS = 16
/** Copies of the whole object, and hashes, that tools keep there. */
const USELESS = /last-applied-configuration$|\/(checksum|config-hash)/

/** Annotations that are short enough to filter by. */
export function shortAnnotations(annotations: Metadata['annotations']): Record<string, string> | undefined {
  const kept = Object.entries(annotations ?? {})
    .filter(([key, value]) => value.length <= MAX_ANNOTATION && !USELESS.test(key))
    .slice(0, MAX_ANNOTATIONS)
  return kept.length > 0 ? Object.fromEntries(kept) : undefined
}

export function someLabels(labels: Metadata['labels']): Record<string, string> | undefined {
  return labels && Object.keys(labels).length > 0 ? labels : undefined
}
