import { parseSize } from '@tapdeck/units'
import { RECORDER_NEEDS } from './recorder-settings.ts'

interface Container {
  readonly name: string
  readonly resources?: { readonly limits?: Readonly<Record<string, string>> }
  readonly securityContext?: { readonly capabilities?: { readonly drop?: readonly string[] } }
}

/** What is read of a pod. */
export interface PodObject {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: unknown
  }
  readonly spec?: {
    readonly hostNetwork?: boolean
    readonly nodeName?: string
    readonly os?: { readonly name: string }
    readonly runtimeClassName?: string
    readonly securityContext?: { readonly runAsNonRoot?: boolean }
    readonly containers: readonly Container[]
  }
  readonly status?: { readonly phase?: string }
}

export interface Barriers {
  /** Why there is no use in trying; undefined: none is known. */
  readonly refusal?: string
  /** What may go wrong. */
  readonly notes: readonly string[]
}

const MEBIBYTE = 1024 ** 2
const ENFORCE = 'pod-security.kubernetes.io/enforce'

/** What speaks against a recorder in a pod, as far as it can be seen before it is tried. `labels`: of its namespace, if they may be read. */
export function barriersOf(pod: PodObject, labels: Readonly<Record<string, string>> | undefined): Barriers {
  const refusal = refusalOf(pod)
  return {
    ...(refusal !== undefined && { refusal }),
    notes: [...securityNotes(pod, labels), ...resourceNotes(pod)],
  }
}

function refusalOf({ metadata, spec, status }: PodObject): string | undefined {
  if (metadata?.deletionTimestamp) return 'the pod is being deleted'
  if (status?.phase !== 'Running') return `the pod is ${status?.phase ?? 'Unknown'}, not Running`
  if (spec?.hostNetwork)
    return 'the pod uses the network of its node (hostNetwork): a recorder inside would record the whole node'
  if (spec?.os?.name === 'windows') return 'the pod runs on Windows; the recorder needs Linux'
  if (metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined)
    return 'it is a static pod, to which no container can be added'
  return undefined
}

function securityNotes({ spec }: PodObject, labels: Readonly<Record<string, string>> = {}): string[] {
  const notes: string[] = []
  if (labels[ENFORCE] === 'restricted')
    notes.push(
      'The namespace enforces the Pod Security level "restricted", which admits no container that runs as root. Without root there is no NET_RAW, so the API server will refuse the recorder unless you are exempt.',
    )
  if (spec?.securityContext?.runAsNonRoot)
    notes.push(
      'The pod demands runAsNonRoot. The recorder runs as root: its container alone sets runAsNonRoot: false, which a policy may refuse.',
    )
  if (spec?.containers.every(({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL')))
    notes.push(
      'All containers of the pod drop all capabilities. The container of the recorder keeps those that the runtime gives to root, which a policy may refuse.',
    )
  if (spec?.runtimeClassName)
    notes.push(
      `The pod has the runtime class "${spec.runtimeClassName}". A sandbox such as gVisor may have no packet capture; the recorder then says so.`,
    )
  return notes
}

/** An ephemeral container has no limits of its own: it counts in those of the pod, if all of its containers have one. */
function resourceNotes({ spec }: PodObject): string[] {
  const rows = [
    ['memory', RECORDER_NEEDS.memoryMi, 'the kernel would end it, or the application, if both need more'],
    ['ephemeral-storage', RECORDER_NEEDS.storageMi, 'the kubelet evicts a pod that uses more'],
  ] as const
  return rows.flatMap(([resource, needs, otherwise]) => {
    const limits = (spec?.containers ?? []).map(({ resources }) =>
      parseSize(resources?.limits?.[resource] ?? ''),
    )
    if (limits.length === 0 || limits.some((limit) => limit === undefined)) return []
    const sum = limits.reduce<number>((all, limit) => all + (limit ?? 0), 0)
    if (sum >= 2 * needs * MEBIBYTE) return []
    return [
      `The containers of the pod may use ${Math.round(sum / MEBIBYTE)} MiB of ${resource} together, and the recorder takes up to ${needs} MiB of that: ${otherwise}. A sidecar (--sidecar) has limits of its own.`,
    ]
  })
}
