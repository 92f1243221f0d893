import { readFile } from 'node:fs/promises'
import { type Inventory, parseInventory } from '@tapdeck/inventory'
import { type RecordedEvent, writeDurably } from '@tapdeck/recording'
import type { Log } from '../log.ts'
import { ApiServer, type ApiServerOptions } from './api-server.ts'
import { ClusterNames } from './cluster-names.ts'
import { ClusterState } from './cluster-state.ts'
import type { NodeRecord } from './node-record.ts'
import { type ResourceSink, type ResourceStatus, ResourceWatch } from './resource-watch.ts'
import type { WorkerDaemonSet } from './worker-daemon-set.ts'

/** Changes that come together are passed on together. */
const GATHER_MS = 300
const SAVE_MS = 5000
const REFUSED_RETRY_MS = 60_000

export interface ClusterWatchOptions {
  readonly server: ApiServerOptions
  /** Names over time are kept here. */
  readonly file: string
  readonly log: Log
  readonly now: () => number
  readonly refusedRetryMs?: number
  readonly workers?: WorkerDaemonSet | undefined
  names(inventory: Inventory): void
  events(events: readonly RecordedEvent[]): void
}

/** Watches a cluster: names over time, and events. Goes on by itself when the API server is back. */
export class ClusterWatch {
  /** Objects that could not be read. */
  rejected = 0
  readonly address: string
  readonly #options: ClusterWatchOptions
  readonly #names: ClusterNames
  readonly #state: ClusterState
  readonly #watches: readonly ResourceWatch[]
  #gathering: NodeJS.Timeout | undefined
  #saving: NodeJS.Timeout | undefined
  #saved: Promise<void> = Promise.resolve()

  private constructor(options: ClusterWatchOptions, api: ApiServer, known: Saved | undefined) {
    this.#options = options
    this.address = api.address
    const { log, now } = options
    this.#names = new ClusterNames()
    if (known) this.#names.restore(known.inventory)
    this.#state = new ClusterState({
      names: this.#names,
      now,
      coveredUntil: known?.at ?? now(),
      changed: () => this.#gather(),
      event: (events) => options.events(events),
      rejected: (resource, error) => {
        const detail = error instanceof Error ? error.message.slice(0, 500) : String(error)
        if (this.rejected++ === 0) log.warn({ resource, detail }, 'an object of the cluster cannot be read')
      },
    })
    this.#watches = this.#state.kinds.map(
      (kind) =>
        new ResourceWatch({
          ...kind,
          sink: both(kind.sink, options.workers?.sinks[kind.resource]),
          api,
          refusedRetryMs: options.refusedRetryMs ?? REFUSED_RETRY_MS,
          changed: (status) => logStatus(log, status),
        }),
    )
  }

  /** Names of an earlier run count at once; the cluster is asked in the background. Throws for a wrong configuration. */
  static async open(options: ClusterWatchOptions): Promise<ClusterWatch> {
    const api = ApiServer.load(options.server)
    const watch = new ClusterWatch(options, api, await readSaved(options.file, options.log))
    options.names(watch.#names.inventory)
    for (const one of watch.#watches) one.start()
    return watch
  }

  get status(): readonly ResourceStatus[] {
    return this.#watches.map(({ status }) => status)
  }

  /** The nodes of the cluster; empty until they were listed, or if they may not be. */
  get nodes(): readonly NodeRecord[] {
    return this.#state.nodes
  }

  /** Whether `nodes` are all there are, or no more can be known of them. */
  get knowsNodes(): boolean {
    const nodes = this.status.find(({ resource }) => resource === 'nodes')
    return nodes !== undefined && (nodes.lists > 0 || nodes.state === 'refused')
  }

  get sizes(): Readonly<Record<string, number>> {
    const { pods, services, forgotten } = this.#names
    return { ...this.#state.sizes, past_pods: pods.past, past_services: services.past, forgotten }
  }

  /** Names of before this time are not needed any more. */
  forgetBefore(time: number): void {
    this.#names.prune(time)
  }

  async close(): Promise<void> {
    clearTimeout(this.#gathering)
    clearTimeout(this.#saving)
    await Promise.all(this.#watches.map((one) => one.close()))
    this.#save()
    await this.#saved
  }

  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      this.#options.names(this.#names.inventory)
      this.#saving ??= setTimeout(() => this.#save(), SAVE_MS).unref()
    }, GATHER_MS).unref()
  }

  #save(): void {
    this.#saving = undefined
    const { file, log, now } = this.#options
    const text = JSON.stringify({ at: now(), inventory: this.#names.inventory })
    this.#saved = this.#saved
      .then(() => writeDurably(file, text))
      .catch((error: Error) =>
        log.warn({ detail: error.message }, 'the names of the cluster could not be saved'),
      )
  }
}

function both(first: ResourceSink, second: ResourceSink | undefined): ResourceSink {
  if (second === undefined) return first
  return {
    put(object) {
      first.put(object)
      second.put(object)
    },
    remove(uid, object) {
      first.remove(uid, object)
      second.remove(uid, object)
    },
    keepOnly(uids) {
      first.keepOnly(uids)
      second.keepOnly(uids)
    },
  }
}

interface Saved {
  readonly at: number
  readonly inventory: Inventory
}

async function readSaved(file: string, log: Log): Promise<Saved | undefined> {
  try {
    const { at, inventory } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>
    return { at: typeof at === 'number' ? at : 0, inventory: parseInventory(inventory) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn({ detail: (error as Error).message }, 'the saved names of the cluster cannot be read')
    return undefined
  }
}

function logStatus(log: Log, { resource, state, reason, objects }: ResourceStatus): void {
  if (state === 'watching') log.info({ resource, objects }, 'the cluster is watched')
  else if (state === 'refused')
    log.warn(
      { resource, detail: reason },
      'the cluster refuses to list this kind; names and events go without it. Grant list and watch to the account of the hub.',
    )
  else log.warn({ resource, detail: reason }, 'the API server is not reached; names stay as they were')
}
