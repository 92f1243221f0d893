import { exitStatus } from '../command.ts'

/** What is read of the status of a container. */
export interface ContainerStatus {
  readonly name: string
  readonly state?: {
    readonly running?: object
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string }
  }
}

export type RecorderState =
  | { readonly kind: 'waiting'; readonly reason: string }
  | { readonly kind: 'running' }
  | { readonly kind: 'failed' | 'ended'; readonly message: string; readonly hint?: string }

const PULL: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
])
const CREATE: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
])

/** What has become of the container of a recorder. */
export function recorderState(statuses: readonly ContainerStatus[] | undefined, name: string): RecorderState {
  const { running, waiting, terminated } = statuses?.find((one) => one.name === name)?.state ?? {}
  if (running) return { kind: 'running' }
  if (terminated) return ended(terminated)
  const { reason = 'ContainerCreating', message = '' } = waiting ?? {}
  if (PULL.has(reason))
    return {
      kind: 'failed',
      message: `the node cannot pull the image: ${message || reason}`,
      hint: 'Choose another with --image. The container stays in the pod and is tried again until the pod is replaced.',
    }
  if (CREATE.has(reason))
    return { kind: 'failed', message: `the node cannot start the container: ${message || reason}` }
  return { kind: 'waiting', reason }
}

function ended({
  exitCode,
  reason,
  message = '',
}: {
  exitCode: number
  reason?: string
  message?: string
}): RecorderState {
  if (exitCode === exitStatus.noCapture)
    return {
      kind: 'failed',
      message: lastLine(message),
      hint: 'Nothing was recorded. Workers on the nodes (the chart) do not depend on what the pod may do.',
    }
  if (exitCode === 0) return { kind: 'ended', message: 'the recorder has ended' }
  const why = reason === 'OOMKilled' ? 'the memory of the pod was used up' : lastLine(message)
  return { kind: 'failed', message: `the recorder ended with status ${exitCode}${why && `: ${why}`}` }
}

function lastLine(message: string): string {
  return (message.trim().split('\n').at(-1) ?? '').replace(/^tapdeck recorder: /, '')
}
