import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Config, durationMs } from '@tapdeck/config'
import type { ObjectStore } from '@tapdeck/objects'
import type { Log } from '../log.ts'
import { BucketState } from './bucket-state.ts'
import { FolderState } from './folder-state.ts'
import { hubId } from './hub-id.ts'
import { StateSeal } from './state-seal.ts'
import type { StateStore } from './state-store.ts'
import { takeState } from './take-state.ts'

export interface OpenStateOptions {
  readonly config: Config
  /** Locked by this process. */
  readonly dataFolder: string
  readonly log: Log
  /** The bucket of the configuration; undefined where snapshots stay on this disk. */
  openBucket(config: Config): Promise<ObjectStore | undefined>
  /** Another hub has the state: this one must end. */
  lost(reason: string): void
}

export interface OpenState {
  readonly state: StateStore
  readonly hasTakenOver: boolean
}

/** The state of the hub where `hub.state` says. A standby returns when it has taken over. Throws for a wrong configuration. */
export async function openState(options: OpenStateOptions): Promise<OpenState> {
  const { config, dataFolder, log, lost } = options
  const folder = new FolderState(dataFolder)
  const { state: place, stateKeyFile, standby, takeOverAfter } = config.hub
  if (place === 'folder') return { state: folder, hasTakenOver: false }
  const seal = await StateSeal.load(stateKeyFile)
  const objects = await options.openBucket(config)
  if (!objects)
    throw new Error(
      'hub.state is s3, and tap.snapshots.storage is not. A hub that takes over needs the snapshots too: set tap.snapshots.storage=s3.',
    )
  const owner = {
    run: randomUUID(),
    folder: await hubId(dataFolder),
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
  }
  const goneAfterMs = durationMs(takeOverAfter)
  const note = (line: string) => log.warn(line)
  const taken = await takeState({ objects, owner, goneAfterMs, standby, note })
  const state = await BucketState.open(
    {
      objects,
      seal,
      taken,
      lost,
      away(reason) {
        if (reason === undefined) log.info('the object storage takes changes of the state again')
        else
          log.error({ reason }, 'cannot store the state of the hub; changes are refused until it works again')
      },
    },
    folder,
  )
  const { generation } = taken.head
  log.info({ state: state.address, generation, hasTakenOver: taken.hasTakenOver }, 'this hub has the state')
  return { state, hasTakenOver: taken.hasTakenOver }
}
