import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed } from '../command-failed.ts'
import { apiReason } from '../kubernetes/api-reason.ts'
import type { Terminal } from '../output/terminal.ts'
import { type ContainerStatus, recorderState } from './container-state.ts'
import type { recorderContainer } from './recorder-container.ts'
import { refusedContainer } from './refused-container.ts'
import type { TargetPod as Pod } from './target-pod.ts'

const POLL_MS = 500
/** Pulling an image takes this long at most. */
const START_WITHIN_MS = 300_000

/** Adds the container to the pod and resolves when it runs. Throws `CommandFailed`, also if it has ended. */
export async function startRecorder(
  pod: Pod,
  container: ReturnType<typeof recorderContainer>,
  terminal: Terminal,
): Promise<void> {
  const { cluster, namespace, name } = pod
  try {
    await cluster.addContainer(namespace, name, container)
  } catch (error) {
    throw refusedContainer((error as { code?: number }).code, apiReason(error))
  }
  terminal.note(`Added the container ${container.name} to pod ${namespace}/${name}`)
  const until = performance.now() + START_WITHIN_MS
  for (;;) {
    const state = recorderState(await statusesOf(pod), container.name)
    if (state.kind === 'waiting' && performance.now() < until) {
      if (terminal.noteIsScreen) terminal.status(`Waiting for the container: ${state.reason}`)
      await sleep(POLL_MS)
      continue
    }
    if (terminal.noteIsScreen) terminal.status('')
    if (state.kind === 'running') return
    if (state.kind === 'waiting')
      throw new CommandFailed(`the container has not started in five minutes: ${state.reason}`, {
        hint: `kubectl -n ${namespace} describe pod ${name}`,
      })
    throw new CommandFailed(state.message, state.hint === undefined ? {} : { hint: state.hint })
  }
}

/** Of ephemeral containers, and of init containers, among which sidecars are. */
export async function statusesOf({ cluster, namespace, name }: Pod): Promise<ContainerStatus[]> {
  const { status } = await cluster.get(namespace, name)
  return [...(status?.ephemeralContainerStatuses ?? []), ...(status?.initContainerStatuses ?? [])]
}
