import type { RecordedEvent } from '@tapdeck/recording'
import type { EventRecord } from './event-record.ts'
import type { NodeRecord } from './node-record.ts'
import type { ContainerRecord, PodRecord } from './pod-record.ts'
import type { SliceRecord } from './slice-record.ts'
import type { WorkloadRecord } from './workload-record.ts'

type Known<Kind> = Kind | undefined

/** What happened to a pod and its containers between two states. */
export function podEvents(before: Known<PodRecord>, after: PodRecord, now: number): RecordedEvent[] {
  const { name, namespace, node, uid } = after
  const about = { name, namespace, uid, ...(node !== undefined && { node }) }
  const events: RecordedEvent[] = []
  if (before && before.phase !== after.phase)
    events.push(
      event(now, 'pod_phase', {
        ...about,
        phase: after.phase,
        before: before.phase,
        ...(after.reason !== undefined && { reason: after.reason }),
      }),
    )
  if (before && before.ready !== after.ready)
    events.push(event(now, after.ready ? 'pod_ready' : 'pod_not_ready', about))
  for (const container of after.containers) {
    const known = before?.containers.find((one) => one.name === container.name)
    events.push(...containerEvents(known, container, about, now))
  }
  return events
}

function containerEvents(
  before: Known<ContainerRecord>,
  { name, restarts, ended, waiting }: ContainerRecord,
  about: object,
  now: number,
): RecordedEvent[] {
  const events: RecordedEvent[] = []
  if (ended && ended.at !== before?.ended?.at)
    events.push(
      event(ended.at ?? now, 'container_ended', {
        ...about,
        container: name,
        reason: ended.reason,
        exit_code: ended.exitCode,
        restarts,
      }),
    )
  if (before && restarts > before.restarts)
    events.push(
      event(now, 'container_restarted', { ...about, container: name, restarts, reason: ended?.reason }),
    )
  if (waiting !== undefined && waiting !== before?.waiting && waiting !== 'ContainerCreating')
    events.push(event(now, 'container_waiting', { ...about, container: name, reason: waiting, restarts }))
  return events
}

/** How a rollout got on between two states. */
/** A workload, and whether a rollout of it is in progress. */
export interface WorkloadState extends WorkloadRecord {
  readonly rolling: boolean
}

/** A workload that has fewer pods than it wants is rolled out only if its specification changed: pods also end with their node. */
export function workloadState(before: Known<WorkloadState>, after: WorkloadRecord): WorkloadState {
  const isChanged = !before || before.rolling || before.generation !== after.generation
  return { ...after, rolling: !after.complete && (isChanged || !isSameImages(before, after)) }
}

export function rolloutEvents(
  kind: string,
  before: Known<WorkloadState>,
  after: WorkloadState,
  now: number,
): RecordedEvent[] {
  if (!before) return []
  const { name, namespace, images, wanted, updated, available } = after
  const about = { name, namespace, workload_kind: kind, images, wanted, updated, available }
  const events: RecordedEvent[] = []
  if (!isSameImages(before, after))
    events.push(event(now, 'rollout_started', { ...about, before: { images: before.images } }))
  else if (!before.rolling && after.rolling) events.push(event(now, 'rollout_started', about))
  if (before.rolling && after.complete) events.push(event(now, 'rollout_completed', about))
  if (!before.stalled && after.stalled) events.push(event(now, 'rollout_stalled', about))
  return events
}

function isSameImages(one: WorkloadRecord, other: WorkloadRecord): boolean {
  return one.images.join() === other.images.join()
}

export function nodeEvents(before: Known<NodeRecord>, after: NodeRecord, now: number): RecordedEvent[] {
  if (!before) return []
  const { name } = after
  const events: RecordedEvent[] = []
  if (before.unschedulable !== after.unschedulable)
    events.push(event(now, after.unschedulable ? 'node_cordoned' : 'node_uncordoned', { name }))
  for (const { type, status, reason, message } of after.conditions) {
    const known = before.conditions.find((one) => one.type === type)
    if (known?.status === status) continue
    const from = known && { before: known.status }
    events.push(event(now, 'node_condition', { name, condition: type, status, ...from, reason, message }))
  }
  return events
}

/** Ready endpoints that came and went. */
export function endpointEvents(
  before: Known<SliceRecord>,
  after: Known<SliceRecord>,
  now: number,
): RecordedEvent[] {
  const { service: name, namespace } = (after ?? before)!
  const ready = (slice: Known<SliceRecord>) =>
    new Map((slice?.endpoints ?? []).filter((one) => one.ready).map((one) => [one.ip, one]))
  const [was, is] = [ready(before), ready(after)]
  const endpointEvent = (type: string, slice: Known<SliceRecord>, ip: string, pod: string | undefined) =>
    event(now, type, { name, namespace, ip, ports: slice?.ports ?? [], ...(pod !== undefined && { pod }) })
  return [
    ...[...was.values()]
      .filter(({ ip }) => !is.has(ip))
      .map(({ ip, podName }) => endpointEvent('endpoint_removed', before, ip, podName)),
    ...[...is.values()]
      .filter(({ ip }) => !was.has(ip))
      .map(({ ip, podName }) => endpointEvent('endpoint_added', after, ip, podName)),
  ]
}

export function reportedEvent({ at, object, ...rest }: EventRecord): RecordedEvent {
  const { reason, message, source, count, warning } = rest
  return event(at, 'kubernetes_event', {
    name: object.name,
    ...(object.namespace !== undefined && { namespace: object.namespace }),
    object_kind: object.kind,
    severity: warning ? 'warning' : 'normal',
    reason,
    message,
    ...(source !== '' && { source }),
    ...(count > 1 && { count }),
  })
}

function event(ts: number, type: string, fields: Readonly<Record<string, unknown>>): RecordedEvent {
  return { ts, kind: 'cluster', type, ...fields }
}
