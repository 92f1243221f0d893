import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, durationMs } from '@tapdeck/config'
import type { Catalog } from '@tapdeck/kfl'
import type { ObjectStore } from '@tapdeck/objects'
import { SnapshotStore } from '@tapdeck/recording'
import { parseSize } from '@tapdeck/units'
import type { DissectionLimits } from '../dissections/dissection-queue.ts'
import { dissectionThreads } from '../dissections/dissection-threads.ts'
import { Dissections } from '../dissections/dissections.ts'
import type { HubOptions } from '../hub-options.ts'
import { SavedFilters } from '../saved-filters.ts'
import { BucketQueue } from '../snapshots/bucket-queue.ts'
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
  { config, dataFolder, log, dissectionThread }: HubOptions,
  { workers, coverage, recordingLosses, directory, clusterEvents, keyring }: ClusterModule,
  catalog: Catalog,
): Promise<StorageModule> {
  const now = Date.now
  const folder = join(dataFolder, 'snapshots')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const objects = await openBucket(config)
  const store = await SnapshotStore.open(folder, { maxBytes: storageBytes(config), objects })
  const snapshots = new Snapshots({
    ...{ store, workers, coverage, directory, clusterEvents, log, now },
    losses: recordingLosses,
  })
  if (keyring) snapshots.keys = new SnapshotKeys(store, keyring)
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
  })
  if (store.archive) {
    const bucket = new BucketQueue({
      ...{ store, archive: store.archive, log, now },
      changed: () => snapshots.emit('change'),
      leaving: (name) => dissections.forgetSnapshot(name, async () => {}),
    })
    snapshots.bucket = bucket
    snapshots.on('change', () => bucket.tick())
    bucket.tick()
  }
  const retention = new SnapshotRetention({ snapshots, dissections, log, now }, policyOf(config))
  const retiring = setInterval(() => {
    void retention.sweep()
    void snapshots.abandonIdleImports()
  }, RETIRE_EVERY_MS)
  return {
    snapshots,
    dissections,
    retention,
    savedFilters: await SavedFilters.open(join(dataFolder, 'saved-filters.json'), log),
    keys: [
      'tap.snapshots.local',
      'tap.snapshots.importFolder',
      'tap.snapshots.returnWithin',
      'tap.delayedDissection',
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

/** The SDK is in a bundle of its own, which only this loads. */
async function openBucket({ tap }: Config): Promise<ObjectStore | undefined> {
  const { storage, s3 } = tap.snapshots
  if (storage === 'local') return undefined
  if (s3.bucket === '')
    throw new Error(
      'tap.snapshots.storage is s3, and tap.snapshots.s3.bucket is empty. Set it to the name of a bucket.',
    )
  const { openS3 } = await import('@tapdeck/objects/s3')
  return openS3(s3)
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
  const { parallel, threads, maxTime } = tap.delayedDissection
  return { parallel, threads: dissectionThreads(threads), maxTime: durationMs(maxTime) }
}
