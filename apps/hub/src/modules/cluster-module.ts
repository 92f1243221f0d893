import { dirname, join } from 'node:path'
import { parseSize } from '@tapdeck/units'
import type { Access } from '../access/access.ts'
import { ReviewedWorkers } from '../access/reviewed-workers.ts'
import { CaptureTargets } from '../cluster/capture-targets.ts'
import { Coverage } from '../cluster/coverage.ts'
import { openCredentialKey } from '../cluster/credential-key.ts'
import { ExpectedNodes } from '../cluster/expected-nodes.ts'
import { followDevices } from '../cluster/follow-devices.ts'
import type { LinkCertificates } from '../cluster/link-certificates.ts'
import { LinkServer } from '../cluster/link-server.ts'
import { indexLoss, LossTimes, recordingLoss, streamLoss } from '../cluster/loss-times.ts'
import { NamesFeed } from '../cluster/names-feed.ts'
import { openLinkCertificates } from '../cluster/open-link-certificates.ts'
import { RecorderAdmission } from '../cluster/recorder-admission.ts'
import { SealingFeed } from '../cluster/sealing-feed.ts'
import { KEYRING_DOCUMENT, type KeyringSource, SealingKeyring } from '../cluster/sealing-keyring.ts'
import { sendCredentialKey } from '../cluster/send-credential-key.ts'
import { Workers } from '../cluster/workers.ts'
import { Directory } from '../directory.ts'
import { ClusterEvents } from '../events/cluster-events.ts'
import type { HubOptions } from '../hub-options.ts'
import { ClusterWatch } from '../kubernetes/cluster-watch.ts'
import { WorkerDaemonSet } from '../kubernetes/worker-daemon-set.ts'
import { FolderState } from '../state/folder-state.ts'
import type { StateStore } from '../state/state-store.ts'
import { Unsaved } from '../state/unsaved.ts'
import type { HubModule } from './hub-module.ts'

/** The connected workers, what they missed, and the names and events of the cluster. */
export interface ClusterModule extends HubModule {
  /** What could not be written of gaps and losses. */
  readonly unsaved: Unsaved
  readonly workers: Workers
  readonly links: LinkServer
  /** Of the port for workers; absent: there is none, or its certificate is given. */
  readonly linkCertificates: LinkCertificates | undefined
  readonly recorderAdmission: RecorderAdmission
  /** When the live index of a node missed calls. */
  readonly liveLosses: LossTimes
  /** When the recording of a node missed packets. */
  readonly recordingLosses: LossTimes
  /** When live calls of a node did not reach the hub. */
  readonly streamLosses: LossTimes
  readonly coverage: Coverage
  readonly directory: Directory
  readonly targets: CaptureTargets
  readonly keyring: KeyringSource
  /** In hexadecimal; absent: credentials are kept. */
  readonly credentialKey: string | undefined
  readonly clusterEvents: ClusterEvents
  /** Absent: no cluster is watched. */
  readonly kubernetes: ClusterWatch | undefined
}

export async function openCluster(options: HubOptions, access: Access): Promise<ClusterModule> {
  const { config, dataFolder, state, log } = options
  const now = Date.now
  const workers = new Workers()
  const unsaved = new Unsaved(log)
  const credentialKey =
    config.tap.redaction.credentials === 'mask' ? await openCredentialKey(state) : undefined
  if (credentialKey !== undefined) sendCredentialKey(workers, credentialKey, log)
  const lossTimes = (kind: typeof indexLoss, name: string) =>
    LossTimes.open(workers, { kind, file: join(dataFolder, name), log, unsaved, now })
  const liveLosses = await lossTimes(indexLoss, 'live-losses.json')
  const recordingLosses = await lossTimes(recordingLoss, 'recording-losses.json')
  const streamLosses = await lossTimes(streamLoss, 'stream-losses.json')
  const directory = await Directory.open(join(dataFolder, 'inventory.json'), log)
  await directory.load(config.tap.inventory)
  followDevices(workers, directory)
  const namesFeed = new NamesFeed(workers, directory, log)
  const clusterEvents = await ClusterEvents.open({
    folder: join(dataFolder, 'cluster-events'),
    maxBytes: parseSize(String(config.tap.capture.events.storageSize)) ?? 0,
    directory,
    workers,
    log,
    now,
  })
  const { workerDaemonSet } = config.tap.kubernetes
  const daemonSet = workerDaemonSet === '' ? undefined : new WorkerDaemonSet(workerDaemonSet)
  const kubernetes = config.tap.kubernetes.enabled
    ? await ClusterWatch.open({
        server: config.tap.kubernetes,
        file: join(dataFolder, 'cluster-names.json'),
        log,
        now,
        workers: daemonSet,
        names: (inventory) => directory.setCluster(inventory),
        events: (events) => clusterEvents.append(events),
      })
    : undefined
  if (kubernetes) clusterEvents.on('forget', (before) => kubernetes.forgetBefore(before))
  const expected = new ExpectedNodes({
    nodes: () => kubernetes?.nodes ?? [],
    selector: config.tap.kubernetes.workerNodes,
    reasonOf: (node) => daemonSet?.reasonOf(node),
  })
  const coverage = await Coverage.open(workers, {
    file: join(dataFolder, 'coverage.json'),
    log,
    unsaved,
    now,
    isShared: config.tap.index.engine === 'clickhouse',
    expected: () => expected.all,
    excluded: () => expected.excluded,
  })
  const targets = await CaptureTargets.open(workers, config.tap, log, state)
  const { capture: tls } = config.tap.tls
  const keyring = SealingKeyring.source(keyringState(tls.sealingKeyFile, state), now)
  // A file that cannot be read stops the start.
  if (tls.enabled) await keyring()
  const sealing = new SealingFeed(workers, keyring, log)
  const reviewed = await ReviewedWorkers.open({ access, state, log, now })
  const links = new LinkServer(workers, options.workerCredential, access, reviewed, log)
  const linkCertificates = await openLinkCertificates(options)
  const recorderAdmission = new RecorderAdmission({
    workers,
    config,
    certificates: linkCertificates,
    secret: options.workerCredential,
  })
  return {
    unsaved,
    workers,
    recorderAdmission,
    links,
    linkCertificates,
    liveLosses,
    recordingLosses,
    streamLosses,
    coverage,
    directory,
    clusterEvents,
    kubernetes,
    targets,
    keyring,
    credentialKey,
    keys: ['tap.inventory', 'tap.bpfOverride', 'tap.regex', 'tap.namespaces', 'tap.excludedNamespaces'],
    async configure({ tap }) {
      await directory.load(tap.inventory)
      await targets.configure(tap)
    },
    async close() {
      links.close()
      await linkCertificates?.close()
      await reviewed.close()
      namesFeed.close()
      sealing.close()
      await kubernetes?.close()
      await clusterEvents.close()
      await liveLosses.close()
      await recordingLosses.close()
      await streamLosses.close()
      await coverage.close()
    },
  }
}

/** Keys in a file of their own are not part of the state of the hub. */
function keyringState(file: string, state: StateStore): StateStore {
  return file === '' ? state : new FolderState(dirname(file), { [KEYRING_DOCUMENT]: file })
}
