import { setTimeout as sleep } from 'node:timers/promises'
import type { Pod } from '@tapdeck/inventory'
import { CommandFailed } from '../command-failed.ts'
import { HubClient } from '../hub/hub-client.ts'
import { apiReason } from '../kubernetes/api-reason.ts'
import type { Terminal } from '../output/terminal.ts'
import { withStopSignal } from '../parts/stop-request.ts'
import { recorderState } from './container-state.ts'
import { RECORDER_PORT } from './recorder-settings.ts'
import { statusesOf } from './start-recorder.ts'
import type { TargetPod } from './target-pod.ts'

const POLL_MS = 500
const READY_WITHIN_MS = 120_000
/** A request that a forward has lost gets no answer. */
const ANSWER_WITHIN_MS = 5000
/** How often the container is looked at while the forward is open. */
const WATCH_MS = 5000
const SOURCE = 'kubeconfig'
/** This hub records one pod only, so these are its addresses. */
const LOOPBACK = ['127.0.0.1', '::1']

export interface AloneOptions {
  readonly container: string
  /** Of the recorder's own hub. */
  readonly token: string | undefined
  readonly localPort: number
  readonly keep: string
}

/** Forwards a local port to the hub of a recorder that runs alone, and gives it names, until Ctrl-C or its end. */
export async function runAlone(
  pod: TargetPod,
  { container, token, localPort, keep }: AloneOptions,
  terminal: Terminal,
): Promise<void> {
  const { cluster, namespace, name } = pod
  let isReady = false
  const failed = (reason: string) => {
    // Until the hub listens, connections are refused.
    if (isReady) terminal.note(`tapdeck attach: a connection failed: ${reason}`)
  }
  const forward = await cluster.forward(namespace, name, { port: RECORDER_PORT, localPort }, failed)
  try {
    const hub = new HubClient(forward.url, token)
    await whenReady(hub, pod, container, terminal)
    isReady = true
    await terminal.out(`Pod ${namespace}/${name} is recorded; the hub of its recorder is at ${forward.url}\n`)
    if (token !== undefined) await terminal.out(`Token: ${token}\n`)
    await withStopSignal(async (signal) => {
      const names = await giveNames(hub, pod, terminal)
      await untilEnd(pod, container, signal, terminal)
      names?.close()
    })
    terminal.note(
      `The forward has ended. An ephemeral container cannot be removed; the recorder in it ends by itself${keep === '0' ? ' with the pod' : `, ${keep} after its start`}, and what it recorded ends with it.`,
    )
  } finally {
    forward.close()
  }
}

async function whenReady(
  hub: HubClient,
  pod: TargetPod,
  container: string,
  terminal: Terminal,
): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS
  for (;;) {
    try {
      const { nodes } = await hub.until(AbortSignal.timeout(ANSWER_WITHIN_MS)).call('get_status', {})
      const [node] = nodes
      if (node?.connected && node.capture.active) return
      if (node?.connected)
        throw new CommandFailed(
          `the recorder cannot capture: ${node.capture.reason ?? 'no reason is known'}`,
          {
            hint: 'A sandbox such as gVisor may have no packet capture.',
          },
        )
    } catch (error) {
      const status = (error as CommandFailed).problem?.status
      if (error instanceof CommandFailed && (status === 401 || error.message.includes('cannot capture')))
        throw error
    }
    const state = recorderState(await statusesOf(pod), container)
    if (state.kind === 'failed' || state.kind === 'ended')
      throw new CommandFailed(state.message, state.hint === undefined ? {} : { hint: state.hint })
    if (performance.now() > until)
      throw new CommandFailed('the hub of the recorder does not answer', {
        hint: `kubectl -n ${pod.namespace} logs ${pod.name} -c ${container}; you need the verb create on pods/portforward`,
      })
    if (terminal.noteIsScreen) terminal.status('Waiting for the recorder')
    await sleep(POLL_MS)
  }
}

/** Its own hub may not ask the API server: the user of the kubeconfig names what it may list. */
async function giveNames(hub: HubClient, { cluster, namespace, name }: TargetPod, terminal: Terminal) {
  try {
    const names = await cluster.watchNames(namespace, async ({ pods, services }) => {
      const own = ({ ips, ...pod }: Pod) =>
        pod.namespace === namespace && pod.name === name
          ? { ...pod, ips: [...ips, ...LOOPBACK] }
          : { ...pod, ips }
      await hub.call('set_inventory', { source: SOURCE, pods: pods.map(own), services: [...services] })
    })
    terminal.note(
      names.lacks.length === 0
        ? 'Names: pods and Services of the cluster, as long as this command runs.'
        : `Names: what you may list, as long as this command runs. Not named: ${names.lacks.join('; ')}.`,
    )
    return names
  } catch (error) {
    terminal.note(`No names: ${apiReason(error)}`)
    return undefined
  }
}

async function untilEnd(
  pod: TargetPod,
  container: string,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(WATCH_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const statuses = await statusesOf(pod).catch((error: { code?: number }) =>
      error.code === 404 ? [] : undefined,
    )
    if (statuses === undefined) continue
    const state = recorderState(statuses, container)
    if (state.kind === 'running') continue
    terminal.note(
      'message' in state ? `tapdeck attach: ${state.message}` : 'tapdeck attach: the pod has ended',
    )
    return
  }
}
