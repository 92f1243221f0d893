import { z } from 'zod'
import type { JobState } from './job-launcher.ts'

const text = z.string().nullish()
const reasoned = z.object({ reason: text, message: text })

const podShape = z.object({
  metadata: z.object({ creationTimestamp: text, deletionTimestamp: text }),
  spec: z.object({ nodeName: text }).nullish(),
  status: reasoned.extend({
    phase: text,
    conditions: z.array(reasoned.extend({ type: z.string(), status: z.string() })).nullish(),
    containerStatuses: z
      .array(
        z.object({
          state: z
            .object({
              waiting: reasoned.nullish(),
              terminated: reasoned.extend({ exitCode: z.number() }).nullish(),
            })
            .nullish(),
        }),
      )
      .nullish(),
  }),
})

/** What a pod says of how far it is. */
export type ObservedPod = z.output<typeof podShape>

export function observedPod(object: unknown): ObservedPod {
  return podShape.parse(object)
}

/** The pods of a Job, as the API server lists them. */
export const podList = z.object({ items: z.array(podShape) })

/** The events of an object, as the API server lists them. */
export const eventList = z.object({ items: z.array(reasoned) })

/** The pod that was made last. */
export function lastPod({ items }: z.output<typeof podList>): ObservedPod | undefined {
  const created = ({ metadata }: ObservedPod) => metadata.creationTimestamp ?? ''
  return items.toSorted((a, b) => created(a).localeCompare(created(b))).at(-1)
}

/** What the pod of a Job that has not ended, or of a DaemonSet, is doing. */
export function stateOfPod(pod: ObservedPod): JobState {
  const { metadata, spec, status } = pod
  if (metadata.deletionTimestamp)
    return { kind: 'waiting', reason: `its pod on ${spec?.nodeName ?? 'no node'} is being deleted` }
  const ended = endOfPod(pod)
  if (ended !== undefined) return { kind: 'waiting', reason: `${ended}; Kubernetes makes another one` }
  const unscheduled = status.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False')
  if (unscheduled) return { kind: 'waiting', reason: `its pod is not scheduled: ${said(unscheduled)}` }
  const waiting = status.containerStatuses?.[0]?.state?.waiting
  if (waiting) return { kind: 'waiting', reason: `its container does not run: ${said(waiting)}` }
  return status.phase === 'Running'
    ? { kind: 'working' }
    : { kind: 'waiting', reason: 'its pod is not started' }
}

/** How a pod ended; undefined where it has not. */
export function endOfPod({ status }: ObservedPod): string | undefined {
  if (status.phase !== 'Failed' && status.phase !== 'Succeeded') return undefined
  const terminated = status.containerStatuses?.[0]?.state?.terminated
  if (!terminated) return `its pod ended: ${said(status)}`
  const { exitCode, reason, message } = terminated
  // With the policy FallbackToLogsOnError, the message is the end of the log.
  const lines = (message ?? '').split('\n').filter((line) => line.trim() !== '')
  const last = lines.at(-1)
  return `its pod ended with status ${exitCode} (${reason ?? 'no reason given'})${last ? `: ${last}` : ''}`
}

/** The words of the cluster. */
export function said({ reason, message }: z.output<typeof reasoned>): string {
  return [reason, message].filter(Boolean).join(': ') || 'no reason given'
}
