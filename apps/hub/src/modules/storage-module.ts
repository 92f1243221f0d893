import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, durationMs, readYaml } from '@tapdeck/config'
import type { Catalog } from '@tapdeck/kfl'
import { SnapshotStore } from '@tapdeck/recording'
import { parseSize } from '@tapdeck/units'
import type { DissectionLimits } from '../dissections/dissection-queue.ts'
import { dissectionThreads } from '../dissections/dissection-threads.ts'
import { Dissections } from '../dissections/dissections.ts'
import type { HubOptions } from '../hub-options.ts'
import { ApiServer } from '../kubernetes/api-server.ts'
import { KubernetesJobs, parseJobTemplate } from '../kubernetes/kubernetes-jobs.ts'
import { SavedFilters } from '../saved-filters.ts'
import { BucketQueue } from '../snapshots/bucket-queue.ts'
import { openBucket } from '../snapshots/open-bucket.ts'
import { SnapshotKeys } from '../snapshots/snapshot-keys.ts'
import { type RetentionPolicy, SnapshotRetention } from '../snapshots/snapshot-retention.ts'
import { Snapshots } from '../snapshots/snapshots.ts'
import type { ClusterModule } from './cluster-module.ts'
import type { HubModule } from './hub-module.ts'

/** Snapshots and their dissections, how long they stay, and the filters that callers share. */
export interface StorageModule extends HubModule {
  readonly snapshots: Snapshots
  readonly dissections: Dissections
  readonly retention: SnapshotRetention
  readonly savedFilters: SavedFilters
}

/** How often retention runs, and imports without new data are abandoned. */
const RETIRE_EVERY_MS = 60_000

export async function openStorage(
  { config, dataFolder, state, log, dissectionThread }: HubOptions,
  { workers, coverage, recordingLosses, directory, clusterEvents, keyring, credentialKey }: ClusterModule,
  catalog: Catalog,
): Promise<StorageModule> {
  const now = Date.now
  const folder = join(dataFolder, 'snapshots')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const objects = await openBucket(config)
  const store = await SnapshotStore.open(folder, { maxBytes: storageBytes(config), objects })
  const snapshots = new Snapshots({
    ...{ store, state, workers, coverage, directory, clusterEvents, log, now },
    losses: recordingLosses,
    keys: new SnapshotKeys(store, keyring),
  })
  snapshots.importFolder = config.tap.snapshots.importFolder
  snapshots.returnWithin = durationMs(config.tap.snapshots.returnWithin)
  const dissections = await Dissections.open({
    snapshots,
    catalog,
    log,
    now,
    thread: dissectionThread,
    limits: limitsOf(config),
    bodyBytes: parseSize(String(config.tap.capture.dissection.bodyBytes)) ?? 65_536,
    redaction: config.tap.redaction,
    credentialKey,
    archive: store.archive,
    launcher: await openLauncher(config),
  })
  if (store.archive) {
    snapshots.nodeUploads = config.tap.snapshots.s3.nodeUploads
    const bucket = new BucketQueue({
      ...{ store, archive: store.archive, log, now },
      changed: () => snapshots.emit('change'),
      leaving: (name) => dissections.forgetSnapshot(name, async () => {}),
      compared: (problem) => dissections.refresh(problem),
    })
    snapshots.bucket = bucket
    snapshots.on('change', () => bucket.tick())
    bucket.tick()
  }
  await snapshots.resume()
  const retention = new SnapshotRetention({ snapshots, dissections, log, now }, policyOf(config))
  const retiring = setInterval(() => {
    void retention.sweep()
    void snapshots.abandonIdleImports()
  }, RETIRE_EVERY_MS)
  return {
    snapshots,
    dissections,
    retention,
    savedFilters: await SavedFilters.open(state, log),
    keys: [
      'tap.snapshots.local',
      'tap.snapshots.importFolder',
      'tap.snapshots.returnWithin',
      'tap.delayedDissection.parallel',
      'tap.delayedDissection.threads',
      'tap.delayedDissection.maxTime',
      'tap.delayedDissection.reportWithin',
    ],
    configure(changed) {
      store.room.maxBytes = storageBytes(changed)
      snapshots.importFolder = changed.tap.snapshots.importFolder
      snapshots.returnWithin = durationMs(changed.tap.snapshots.returnWithin)
      retention.policy = policyOf(changed)
      dissections.configure(limitsOf(changed))
    },
    async close() {
      clearInterval(retiring)
      await snapshots.close()
      await dissections.close()
    },
  }
}

/** Undefined: dissections run in this process. Throws for a wrong configuration. */
async function openLauncher({ tap }: Config): Promise<KubernetesJobs | undefined> {
  const { runner, jobTemplate } = tap.delayedDissection
  if (runner === 'local') return undefined
  if (tap.snapshots.storage !== 's3')
    throw new Error(
      'tap.delayedDissection.runner is kubernetes, and tap.snapshots.storage is not s3. A Job reads snapshots from a bucket.',
    )
  const text = await readFile(jobTemplate, 'utf8').catch((error: Error) => {
    throw new Error(`tap.delayedDissection.jobTemplate: ${error.message}`)
  })
  const template = parseJobTemplate(readYaml(jobTemplate, text), jobTemplate)
  return new KubernetesJobs(ApiServer.load(tap.kubernetes), template)
}

function storageBytes({ tap }: Config): number {
  return parseSize(String(tap.snapshots.local.storageSize)) ?? 0
}

function policyOf({ tap }: Config): RetentionPolicy {
  const { maxAge, maxSize } = tap.snapshots.local.retention
  return {
    maxAgeMs: durationMs(maxAge) || undefined,
    maxBytes: parseSize(String(maxSize)) || undefined,
  }
}

function limitsOf({ tap }: Config): DissectionLimits {
  const { parallel, threads, maxTime, reportWithin } = tap.delayedDissection
  return {
    ...{ parallel, threads: dissectionThreads(threads) },
    ...{ maxTime: durationMs(maxTime), reportWithin: durationMs(reportWithin) },
  }
}
