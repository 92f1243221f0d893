import { randomBytes } from 'node:crypto'
import { formatToken, tokenDigest, tokenSecretBytes } from '@tapdeck/api/credentials'
import { flag, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { Admission } from '../attach/admission.ts'
import { barriersOf } from '../attach/barriers.ts'
import { recorderState } from '../attach/container-state.ts'
import { defaultImage } from '../attach/default-image.ts'
import { joinHub } from '../attach/join-hub.ts'
import { type RecorderOptions, recorderContainer } from '../attach/recorder-container.ts'
import { runAlone } from '../attach/run-alone.ts'
import { sidecarManifest } from '../attach/sidecar-manifest.ts'
import { startRecorder, statusesOf } from '../attach/start-recorder.ts'
import type { TargetPod } from '../attach/target-pod.ts'
import { type CommandInput, command, exitStatus } from '../command.ts'
import { CommandFailed } from '../command-failed.ts'
import { HubClient } from '../hub/hub-client.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { tokenOf } from '../hub/token-of.ts'
import { apiReason } from '../kubernetes/api-reason.ts'
import type { HubPod } from '../kubernetes/find-hub.ts'
import type { LocalForward } from '../kubernetes/local-forward.ts'
import type { Terminal } from '../output/terminal.ts'
import { keepTime } from './recorder.ts'

const DEFAULT_KEEP = '10m'
const MAX_JOINED_MS = 86_400_000
/** Names of containers begin with this. */
const CONTAINER = 'tapdeck'

const { url, token, 'token-file': tokenFile } = connectionOptions

const options = {
  namespace: text('NAME', 'The namespace of the pod. Default: that of the context.', { short: 'n' }),
  context: text('NAME', 'A context of the kubeconfig. Default: the current one.'),
  keep: text('DURATION', `How long the recorder runs: 30s to 24h. Default: ${DEFAULT_KEEP}.`),
  alone: flag(
    'Does not join the hub of the cluster: the recorder runs a hub of its own, forwarded to this machine.',
  ),
  sidecar: flag('Prints the manifest of a sidecar, and does nothing else.'),
  image: text('IMAGE', 'The image of the recorder. Default: that of the hub, else the one of this release.'),
  'key-logs': text(
    'VOLUME[/PATH]',
    'A volume of the pod with key logs (SSLKEYLOGFILE), a file or a folder, to open TLS.',
  ),
  port: whole('PORT', 'With a hub of its own: the local port. Default: any that is free.', 0, 65_535),
  'hub-namespace': text('NAME', 'The namespace of the hub. Default: the only one that has a hub.'),
  'hub-ca': text('FILE', 'What the recorder trusts at the hub, if the hub has no authority of its own.'),
  url,
  token,
  'token-file': tokenFile,
}
type Input = CommandInput<typeof options>

export const attach = command({
  name: 'attach',
  summary: 'Records one pod from inside, where workers on the nodes are not allowed.',
  takes: 'pod/NAME',
  words: [0, 1],
  options,
  operations: [],
  forwards: true,
  notes:
    'The container shares the network of the pod, runs as root, and adds no capability. Needs get on pods, patch on pods/ephemeralcontainers, and create on pods/attach (to join a hub) or pods/portforward. See docs/kubernetes.md.',
  async run(input) {
    const { terminal, words } = input
    const keyLogs = keyLogsOf(input.options['key-logs'])
    if (input.options.sidecar) return printSidecar(input, keyLogs)
    const keep = keepOf(input.options.keep ?? DEFAULT_KEEP)
    const pod = await targetOf(input, podName(words[0]))
    const own = await running(pod)
    if (own !== undefined) {
      terminal.note(`The pod has a recorder already, in the container ${own.container}.`)
      if (own.joined) return exitStatus.done
      const secret = tokenOf(input)
      if (secret === undefined)
        throw new CommandFailed('its hub needs the token that was printed when it was made', {
          hint: 'Give it with --token-file or TAPDECK_TOKEN, or wait until the recorder has ended.',
        })
      return alone(pod, { container: own.container, token: secret, keep: own.keep }, input)
    }
    await warn(pod, terminal)
    const hub = input.options.alone ? undefined : await findHub(pod, input)
    try {
      const image = input.options.image ?? hub?.image ?? defaultImage()
      if (image === undefined)
        throw new UsageError('expected --image IMAGE, because this build knows no image')
      const container = `${CONTAINER}-${randomBytes(4).toString('hex')}`
      const common = { image, pod: `${pod.namespace}/${pod.name}`, keep, ...(keyLogs && { keyLogs }) }
      if (hub) return await joined(pod, hub.client, container, common, input)
      const secret = formatToken(randomBytes(tokenSecretBytes))
      const spec = recorderContainer(container, { ...common, tokenDigest: tokenDigest(secret) })
      await startRecorder(pod, spec, terminal)
      noteKeys(terminal, keyLogs !== undefined)
      return await alone(pod, { container, token: secret, keep }, input)
    } finally {
      hub?.close()
    }
  },
})

async function joined(
  pod: TargetPod,
  client: HubClient,
  container: string,
  common: RecorderOptions,
  { options: given, terminal }: Input,
): Promise<number> {
  const admission = await admit(pod, client, common.keep, given['hub-ca'])
  await startRecorder(pod, recorderContainer(container, common), terminal)
  await joinHub(client, pod, container, admission, terminal)
  await terminal.out(
    `Pod ${common.pod} is recorded until ${admission.expires_at}, as the node ${admission.name} of the hub\n`,
  )
  terminal.note(
    `tapdeck calls --kfl 'node == "${admission.name}"' lists its calls, by the names that the hub knows.`,
  )
  terminal.note('127.0.0.1 has no name: it is the pod itself.')
  noteKeys(terminal, common.keyLogs !== undefined)
  terminal.note(
    'An ephemeral container cannot be removed; the recorder ends by itself. Its recording ends with it: take a snapshot before to keep it.',
  )
  return exitStatus.done
}

async function alone(
  pod: TargetPod,
  recorder: { readonly container: string; readonly token: string; readonly keep: string },
  { options: given, terminal }: Input,
): Promise<number> {
  await runAlone(pod, { ...recorder, localPort: given.port ?? 0 }, terminal)
  return exitStatus.done
}

async function admit(
  { cluster, namespace, name }: TargetPod,
  client: HubClient,
  keep: string,
  caFile: string | undefined,
): Promise<Admission> {
  const { spec } = await cluster.get(namespace, name)
  const admission = await client
    .call('admit_recorder', {
      namespace,
      pod: name,
      expires: keep,
      ...(spec?.nodeName && { node: spec.nodeName }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof CommandFailed)) throw error
      throw new CommandFailed(`the hub does not admit the recorder: ${error.message}`, {
        hint: [error.hint, 'With --alone the recorder has a hub of its own.'].filter(Boolean).join(' '),
      })
    })
  if (caFile === undefined) return admission
  const { readFile } = await import('node:fs/promises')
  return { ...admission, ca: await readFile(caFile, 'utf8') }
}

/** The way to the hub: --url, else the hub of the cluster. Undefined if there is none, which is noted. */
async function findHub({ cluster }: TargetPod, input: Input) {
  const { options: given, terminal } = input
  if (given.url !== undefined) return { client: openHub(input), image: undefined, close: () => {} }
  let found: HubPod | undefined
  try {
    found = await cluster.hub(given['hub-namespace'])
  } catch (error) {
    terminal.note(`No hub can be looked for: ${apiReason(error)}`)
  }
  if (found === undefined) {
    terminal.note('No hub of this cluster is known, so the recorder runs alone, with a hub of its own.')
    return undefined
  }
  const { namespace, name, port, image } = found
  const failed = (reason: string) => terminal.note(`tapdeck attach: a connection failed: ${reason}`)
  const forward: LocalForward = await cluster.forward(namespace, name, { port, localPort: 0 }, failed)
  return { client: new HubClient(forward.url, tokenOf(input)), image, close: () => forward.close() }
}

/** Throws `CommandFailed` if there is no use in trying. */
async function warn({ cluster, namespace, name }: TargetPod, terminal: Terminal): Promise<void> {
  const { refusal, notes } = barriersOf(
    await cluster.get(namespace, name),
    await cluster.namespaceLabels(namespace),
  )
  if (refusal !== undefined)
    throw new CommandFailed(`pod ${namespace}/${name} cannot be recorded: ${refusal}`)
  for (const note of notes) terminal.note(note)
}

async function targetOf({ options: given }: Input, name: string): Promise<TargetPod> {
  const { ClusterPods } = await import('../kubernetes/cluster-client.ts')
  try {
    const cluster = ClusterPods.open(given.context)
    const namespace = given.namespace ?? cluster.namespace
    await cluster.get(namespace, name)
    return { cluster, namespace, name }
  } catch (error) {
    const reason = apiReason(error)
    throw new CommandFailed(
      (error as { code?: unknown }).code === 404 ? `there is no such pod: ${reason}` : reason,
      {
        hint: 'Check that `kubectl get pod NAME -n NAMESPACE` works with this context.',
      },
    )
  }
}

/** The recorder that runs in a pod. */
async function running(pod: TargetPod) {
  const { spec } = await pod.cluster.get(pod.namespace, pod.name)
  const all = [...(spec?.ephemeralContainers ?? []), ...(spec?.initContainers ?? [])]
  const statuses = await statusesOf(pod)
  const found = all.find(
    ({ name, args }) =>
      name.startsWith(CONTAINER) &&
      args?.[0] === 'recorder' &&
      recorderState(statuses, name).kind === 'running',
  )
  if (found === undefined) return undefined
  const keep = found.args?.find((one) => one.startsWith('--keep='))?.slice('--keep='.length) ?? '0'
  return { container: found.name, keep, joined: found.args?.includes('--join') === true }
}

async function printSidecar(
  { options: given, terminal }: Input,
  keyLogs: RecorderOptions['keyLogs'],
): Promise<number> {
  const image = given.image ?? defaultImage()
  if (image === undefined) throw new UsageError('expected --image IMAGE, because this build knows no image')
  const secret = formatToken(randomBytes(tokenSecretBytes))
  await terminal.out(
    sidecarManifest({ image, tokenDigest: tokenDigest(secret), ...(keyLogs && { keyLogs }) }),
  )
  terminal.note(`Token of its hub: ${secret}`)
  terminal.note(
    'The manifest has only its digest. TAPDECK_TOKEN=… tapdeck attach pod/NAME opens the way to a pod with this sidecar.',
  )
  return exitStatus.done
}

function noteKeys(terminal: Terminal, hasLogs: boolean): void {
  terminal.note(
    hasLogs
      ? 'TLS: opened with the key logs of that volume; keys are not taken from processes, which needs rights that no pod has.'
      : 'TLS stays closed: keys are not taken from processes, which needs rights that no pod has. --key-logs reads key logs of a volume of the pod.',
  )
}

function podName(word: string | undefined): string {
  const [, name] = /^(?:pods?\/)?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/.exec(word ?? '') ?? []
  if (name === undefined)
    throw new UsageError(`expected pod/NAME${word === undefined ? '' : `, not "${word}"`}`)
  return name
}

function keepOf(given: string): string {
  const ms = keepTime(given)
  if (ms < 30_000 || ms > MAX_JOINED_MS)
    throw new UsageError(
      `--keep: expected 30s to 24h, not "${given}"; a sidecar (--sidecar) records without end`,
    )
  return given
}

function keyLogsOf(given: string | undefined): RecorderOptions['keyLogs'] {
  if (given === undefined) return undefined
  const [, volume, path = ''] = /^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\/(.*))?$/.exec(given) ?? []
  if (volume === undefined || /(^|\/)\.\.(\/|$)|[,{}\s]/.test(path))
    throw new UsageError(`--key-logs: expected VOLUME or VOLUME/PATH, not "${given}"`)
  return { volume, path }
}
