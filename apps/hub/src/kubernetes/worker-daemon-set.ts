import { z } from 'zod'
import { controllerOf, metadata } from './api-object.ts'
import { eventRecord } from './event-record.ts'
import { type ObservedPod, observedPod, said, stateOfPod } from './job-pods.ts'
import { missingLabel } from './missing-label.ts'
import type { NodeRecord, Taint } from './node-record.ts'
import type { ResourceSink } from './resource-watch.ts'

const toleration = z.object({
  key: z.string().nullish(),
  operator: z.string().nullish(),
  value: z.string().nullish(),
  effect: z.string().nullish(),
})
type Toleration = z.output<typeof toleration>

const daemonSet = z.object({
  metadata,
  spec: z.object({
    template: z.object({
      spec: z.object({
        tolerations: z.array(toleration).nullish(),
        nodeSelector: z.record(z.string(), z.string()).nullish(),
        affinity: z.unknown().nullish(),
      }),
    }),
  }),
})

/** Before it is scheduled, a pod of a DaemonSet names its node by an affinity. */
const targeted = z.object({
  spec: z.object({
    affinity: z.object({
      nodeAffinity: z.object({
        requiredDuringSchedulingIgnoredDuringExecution: z.object({
          nodeSelectorTerms: z.array(
            z.object({ matchFields: z.array(z.object({ key: z.string(), values: z.array(z.string()) })) }),
          ),
        }),
      }),
    }),
  }),
})

const described = z.object({
  metadata: z.object({ uid: z.string(), name: z.string(), namespace: z.string().nullish() }),
})
const about = z.object({
  type: z.string().nullish(),
  involvedObject: z.object({
    kind: z.string().nullish(),
    namespace: z.string().nullish(),
    name: z.string().nullish(),
  }),
})

interface WorkerPod {
  readonly name: string
  readonly node: string
  readonly pod: ObservedPod
}

/** What the DaemonSet says of the nodes that it runs on. */
interface Placement {
  readonly tolerations: readonly Toleration[]
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly hasAffinity: boolean
}

interface Warning {
  readonly kind: string
  readonly name: string
  readonly at: number
  readonly reason: string
  readonly message: string
}

const MAX_REASON = 500
/** Kubernetes lets pods of a DaemonSet run on nodes with these. */
const OWN_TAINTS = 'node.kubernetes.io/'

/**
 * The DaemonSet of the workers: why a node of the cluster has none that is connected. The parts of the cluster say it in
 * different places: a taint at the node, a refusal in an event of the DaemonSet, an image in the state of a pod.
 */
export class WorkerDaemonSet {
  /** What takes the objects, by the kinds that are watched for names anyway. */
  readonly sinks: Readonly<Record<string, ResourceSink>>
  readonly #namespace: string
  readonly #name: string
  readonly #pods = new Map<string, WorkerPod>()
  readonly #warnings = new Map<string, Warning>()
  #set: Placement | undefined
  #isListed = false

  /** `namespace/name`. */
  constructor(path: string) {
    const [namespace = '', name = ''] = path.split('/')
    this.#namespace = namespace
    this.#name = name
    this.sinks = {
      daemonsets: {
        put: (object) => this.#putSet(object),
        remove: (_uid, object) => {
          if (this.#isOwn(object)) this.#set = undefined
        },
        keepOnly: () => {
          this.#isListed = true
        },
      },
      pods: {
        put: (object) => this.#putPod(object),
        remove: (uid) => void this.#pods.delete(uid),
        keepOnly: (uids) => keepOnly(this.#pods, uids),
      },
      events: {
        put: (object) => this.#putEvent(object),
        remove: (uid) => void this.#warnings.delete(uid),
        keepOnly: (uids) => keepOnly(this.#warnings, uids),
      },
    }
  }

  /** Undefined: nothing is known but that no worker of this node is connected. */
  reasonOf(node: NodeRecord): string | undefined {
    const pod = [...this.#pods.values()].findLast((one) => one.node === node.name)
    return (pod ? this.#reasonOfPod(pod) : this.#reasonForNoPod(node))?.slice(0, MAX_REASON)
  }

  #reasonOfPod({ name, pod }: WorkerPod): string {
    const state = stateOfPod(pod)
    if (state.kind === 'working')
      return `its pod ${name} runs and is not connected; the log of the pod says why`
    const warning = this.#lastWarning('Pod', name)
    return warning ? `${state.reason} (${said(warning)})` : state.reason
  }

  #reasonForNoPod({ taints, labels }: NodeRecord): string | undefined {
    const where = `the DaemonSet ${this.#namespace}/${this.#name}`
    if (this.#set === undefined)
      return this.#isListed ? `there is no DaemonSet ${this.#namespace}/${this.#name}` : undefined
    const { tolerations, nodeSelector, hasAffinity } = this.#set
    const missing = missingLabel(nodeSelector, labels)
    if (missing) return `${where} has a nodeSelector: it runs ${missing}`
    const taint = taints.find(
      (one) => isHindrance(one) && !tolerations.some((other) => tolerates(other, one)),
    )
    if (taint) return `${where} does not tolerate the taint ${taintText(taint)} of the node`
    const refusal = this.#lastWarning('DaemonSet', this.#name)
    if (refusal) return `${where} has no pod on it: ${said(refusal)}`
    return hasAffinity
      ? `${where} has no pod on it: its affinity may exclude the node`
      : `${where} has no pod on it`
  }

  #lastWarning(kind: string, name: string): Warning | undefined {
    return [...this.#warnings.values()]
      .filter((one) => one.kind === kind && one.name === name)
      .sort((a, b) => a.at - b.at)
      .at(-1)
  }

  #putSet(object: unknown): void {
    if (!this.#isOwn(object)) return
    const { spec } = daemonSet.parse(object).spec.template
    this.#set = {
      tolerations: spec.tolerations ?? [],
      nodeSelector: spec.nodeSelector ?? {},
      hasAffinity: spec.affinity != null,
    }
  }

  #putPod(object: unknown): void {
    const { data } = z.object({ metadata }).safeParse(object)
    if (data === undefined || data.metadata.namespace !== this.#namespace) return
    const owner = controllerOf(data.metadata)
    if (owner?.kind !== 'DaemonSet' || owner.name !== this.#name) return
    const pod = observedPod(object)
    const node = pod.spec?.nodeName ?? targetOf(object)
    const { uid, name } = data.metadata
    if (node !== undefined) this.#pods.set(uid, { name, node, pod })
  }

  #putEvent(object: unknown): void {
    const { data } = about.safeParse(object)
    if (data?.type !== 'Warning' || data.involvedObject.namespace !== this.#namespace) return
    const { kind, name } = data.involvedObject
    if (!kind || !name) return
    const isOwn =
      kind === 'DaemonSet' ? name === this.#name : kind === 'Pod' && name.startsWith(`${this.#name}-`)
    if (!isOwn) return
    const { uid, at, reason, message } = eventRecord(object)
    this.#warnings.set(uid, { kind, name, at, reason, message })
  }

  #isOwn(object: unknown): boolean {
    const { data } = described.safeParse(object)
    return data?.metadata.name === this.#name && data.metadata.namespace === this.#namespace
  }
}

function targetOf(object: unknown): string | undefined {
  const { data } = targeted.safeParse(object)
  const terms =
    data?.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms
  return terms?.flatMap(({ matchFields }) => matchFields).find(({ key }) => key === 'metadata.name')
    ?.values[0]
}

function isHindrance({ key, effect }: Taint): boolean {
  return effect !== 'PreferNoSchedule' && !key.startsWith(OWN_TAINTS)
}

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false
  if (!key) return operator === 'Exists'
  return key === taint.key && (operator === 'Exists' || (value ?? '') === taint.value)
}

function taintText({ key, value, effect }: Taint): string {
  return `${key}${value && `=${value}`}:${effect}`
}

function keepOnly(known: Map<string, unknown>, uids: ReadonlySet<string>): void {
  for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid)
}
