import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed } from '../command-failed.ts'
import type { HubClient } from '../hub/hub-client.ts'
import type { Terminal } from '../output/terminal.ts'
import type { Admission } from './admission.ts'
import { recorderState } from './container-state.ts'
import { statusesOf } from './start-recorder.ts'
import type { TargetPod } from './target-pod.ts'

const POLL_MS = 500
const JOIN_WITHIN_MS = 60_000

/** Hands the credential to a recorder that runs, and resolves when it is connected to the hub and captures. */
export async function joinHub(
  hub: HubClient,
  pod: TargetPod,
  container: string,
  admission: Admission,
  terminal: Terminal,
): Promise<void> {
  const { cluster, namespace, name } = pod
  await cluster.send(namespace, name, container, JSON.stringify(admission)).catch((error: unknown) => {
    throw new CommandFailed(
      `cannot reach the standard input of the recorder: ${String((error as Error).message ?? error)}`,
      {
        hint: 'You need the verb create on pods/attach. The recorder ends by itself after two minutes.',
      },
    )
  })
  const until = performance.now() + JOIN_WITHIN_MS
  for (;;) {
    const { nodes } = await hub.call('get_status', {})
    const node = nodes.find((one) => one.name === admission.name && one.connected)
    if (node) {
      if (node.capture.active) return
      throw new CommandFailed(`the recorder cannot capture: ${node.capture.reason ?? 'no reason is known'}`, {
        hint: 'The recorder ends by itself. A sandbox such as gVisor may have no packet capture.',
      })
    }
    const state = recorderState(await statusesOf(pod), container)
    if (state.kind !== 'running')
      throw new CommandFailed('message' in state ? state.message : 'the recorder does not run')
    if (performance.now() > until)
      throw new CommandFailed(
        `the recorder runs, but has not reached the hub at ${admission.url} in a minute`,
        {
          hint: `A network policy of the pod may forbid it. \`kubectl -n ${namespace} logs ${name} -c ${container}\` says why; --alone needs no way to the hub.`,
        },
      )
    if (terminal.noteIsScreen) terminal.status('Waiting for the recorder to connect to the hub')
    await sleep(POLL_MS)
  }
}
