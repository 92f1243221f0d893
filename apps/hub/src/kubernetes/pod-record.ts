import { canonicalIp } from '@tapdeck/ip'
import { z } from 'zod'
import {
  controllerOf,
  metadata,
  type OwnerReference,
  shortAnnotations,
  someLabels,
  timeOf,
} from './api-object.ts'

const port = z.object({ containerPort: z.number(), hostPort: z.number().nullish() })
const container = z.object({ name: z.string(), ports: z.array(port).nullish() })
const terminated = z.object({
  reason: z.string().nullish(),
  exitCode: z.number().nullish(),
  startedAt: z.string().nullish(),
  finishedAt: z.string().nullish(),
})
const state = z.object({
  running: z.object({ startedAt: z.string().nullish() }).nullish(),
  waiting: z.object({ reason: z.string().nullish() }).nullish(),
  terminated: terminated.nullish(),
})
const containerStatus = z.object({
  name: z.string(),
  restartCount: z.number().nullish(),
  state: state.nullish(),
  lastState: state.nullish(),
})
const condition = z.object({
  type: z.string(),
  status: z.string(),
  lastTransitionTime: z.string().nullish(),
})
const address = z.object({ ip: z.string().nullish() })

const pod = z.object({
  metadata,
  spec: z.object({
    nodeName: z.string().nullish(),
    hostNetwork: z.boolean().nullish(),
    containers: z.array(container).nullish(),
    initContainers: z.array(container).nullish(),
  }),
  status: z
    .object({
      phase: z.string().nullish(),
      reason: z.string().nullish(),
      startTime: z.string().nullish(),
      podIP: z.string().nullish(),
      podIPs: z.array(address).nullish(),
      hostIP: z.string().nullish(),
      hostIPs: z.array(z.object({ ip: z.string() })).nullish(),
      conditions: z.array(condition).nullish(),
      containerStatuses: z.array(containerStatus).nullish(),
      initContainerStatuses: z.array(containerStatus).nullish(),
    })
    .nullish(),
})

export interface ContainerRecord {
  readonly name: string
  readonly restarts: number
  /** Why the last run ended, such as OOMKilled. */
  readonly ended?: { readonly reason: string; readonly exitCode: number; readonly at: number | undefined }
  /** Why it does not run, such as CrashLoopBackOff. */
  readonly waiting?: string
}

/** What is kept of a pod. */
export interface PodRecord {
  readonly uid: string
  readonly name: string
  readonly namespace: string
  readonly node?: string
  readonly ips: readonly string[]
  readonly hostIps: readonly string[]
  readonly hostNetwork: boolean
  /** Ports that are the pod's at the address of its node. */
  readonly hostPorts: readonly number[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly owner?: OwnerReference
  readonly phase: string
  readonly reason?: string
  readonly ready: boolean
  /** From when on the addresses are its own, Unix milliseconds. */
  readonly from: number | undefined
  /** When its node began with it: it had no network before. */
  readonly accepted: number | undefined
  /** When its network became ready, if the kubelet says that it is. */
  readonly networkReady?: number
  /** Until when, if its containers have all ended. */
  readonly until?: number
  readonly containers: readonly ContainerRecord[]
}

/** Times of the API are whole seconds, rounded down: an end lies up to a second later. */
const SECOND = 1000
const ENDED = new Set(['Succeeded', 'Failed'])
/** The sandbox of the pod has its network. */
const NETWORK_READY = 'PodReadyToStartContainers'

export function podRecord(object: unknown): PodRecord {
  const { metadata: about, spec, status } = pod.parse(object)
  const labels = someLabels(about.labels)
  const annotations = shortAnnotations(about.annotations)
  const owner = controllerOf(about)
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const phase = status?.phase ?? 'Pending'
  const hostNetwork = spec.hostNetwork === true
  const networkReady = timeOf(
    status?.conditions?.find((one) => one.type === NETWORK_READY && one.status === 'True')
      ?.lastTransitionTime,
  )
  const accepted = timeOf(status?.startTime) ?? timeOf(about.creationTimestamp)
  const ends = containers.map((one) => timeOf(one.state?.terminated?.finishedAt) ?? 0)
  const until = ENDED.has(phase) && Math.max(0, ...ends) > 0 ? Math.max(...ends) + SECOND : undefined
  return {
    uid: about.uid,
    name: about.name,
    namespace: about.namespace ?? '',
    ...(spec.nodeName && { node: spec.nodeName }),
    ips: addresses(status?.podIPs?.map(({ ip }) => ip) ?? [status?.podIP]),
    hostIps: addresses(status?.hostIPs?.map(({ ip }) => ip) ?? [status?.hostIP]),
    hostNetwork,
    hostPorts: [...(spec.containers ?? []), ...(spec.initContainers ?? [])]
      .flatMap(({ ports }) => ports ?? [])
      .flatMap(({ containerPort, hostPort }) => (hostNetwork ? [containerPort] : hostPort ? [hostPort] : [])),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(owner && { owner }),
    phase,
    ...(status?.reason && { reason: status.reason }),
    ready: (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True'),
    from: networkBegin(status, networkReady) ?? accepted,
    accepted,
    ...(networkReady !== undefined && { networkReady }),
    ...(until !== undefined && { until }),
    containers: containers.map(containerRecord),
  }
}

/** Whether the pod's containers have all ended: its addresses may belong to another pod from then on. */
export function hasEnded({ phase }: PodRecord): boolean {
  return ENDED.has(phase)
}

/**
 * The network of a pod is set up after it was accepted by its node. The condition says when; a container that started
 * earlier than the kubelet reported it says more.
 */
function networkBegin(
  status: z.output<typeof pod>['status'],
  networkReady: number | undefined,
): number | undefined {
  const starts = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
    ({ state: now, lastState }) => [
      timeOf(now?.running?.startedAt),
      timeOf(now?.terminated?.startedAt),
      timeOf(lastState?.terminated?.startedAt),
    ],
  )
  const known = [networkReady, ...starts].filter((time) => time !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

function containerRecord({
  name,
  restartCount,
  state: now,
  lastState,
}: z.output<typeof containerStatus>): ContainerRecord {
  const ended = now?.terminated ?? lastState?.terminated
  return {
    name,
    restarts: restartCount ?? 0,
    ...(ended && {
      ended: { reason: ended.reason ?? '', exitCode: ended.exitCode ?? 0, at: timeOf(ended.finishedAt) },
    }),
    ...(now?.waiting?.reason && { waiting: now.waiting.reason }),
  }
}

/** Canonical, each once. */
export function addresses(given: readonly (string | null | undefined)[]): string[] {
  const found = given.flatMap((ip) => {
    const known = ip ? canonicalIp(ip) : undefined
    return known === undefined ? [] : [known]
  })
  return [...new Set(found)]
}
