import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { ApiError } from './api-error.ts'
import { metadata } from './api-object.ts'
import type { ApiServer } from './api-server.ts'
import { readLines, readWhole } from './read-lines.ts'
import { type WatchEnd, WatchRetry } from './watch-retry.ts'

const PAGE = 500
const MAX_PAGE_BYTES = 256 << 20
/** The server ends a watch after a while; a different time for each kind keeps them from coming back at once. */
const WATCH_SECONDS = 300
/** Bookmarks come about once a minute: a connection without a line for longer is dead. */
const SILENT_MS = 150_000
const JSON_TYPE = 'application/json'
const asMetadata = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=1,application/json`

const page = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().nullish() }),
  items: z.array(z.unknown()).nullish(),
})
const change = z.object({ type: z.string(), object: z.unknown() })
const versioned = z.object({ metadata: z.object({ resourceVersion: z.string() }) })
const problem = z.object({ code: z.number(), message: z.string().nullish() })

/** What takes the objects of a kind. */
export interface ResourceSink {
  put(object: unknown): void
  /** With the last state of the object. */
  remove(uid: string, object: unknown): void
  /** A list was read: only these exist. */
  keepOnly(uids: ReadonlySet<string>): void
}

export interface ResourceStatus {
  readonly resource: string
  /** `watching`: all objects are known and changes arrive. `refused`: a right is missing. `away`: the server is. */
  readonly state: 'starting' | 'watching' | 'refused' | 'away'
  readonly reason?: string
  readonly lists: number
  readonly objects: number
}

export interface ResourceWatchOptions {
  readonly api: ApiServer
  /** Such as `pods`. */
  readonly resource: string
  /** Such as `/api/v1/pods`. */
  readonly path: string
  /** Only the metadata of the objects is asked for. */
  readonly metadataOnly?: boolean
  readonly sink: ResourceSink
  /** The longest time for which a refused kind is left alone. */
  readonly refusedRetryMs: number
  /** The state is another one. */
  changed(status: ResourceStatus): void
}

/** Keeps the objects of one kind known: lists them in pages, then watches, and lists again when the version has expired. */
export class ResourceWatch {
  readonly #options: ResourceWatchOptions
  readonly #stop = new AbortController()
  readonly #known = new Set<string>()
  #version: string | undefined
  #state: ResourceStatus['state'] = 'starting'
  #reason: string | undefined
  #lists = 0
  #ended: Promise<void> | undefined

  constructor(options: ResourceWatchOptions) {
    this.#options = options
  }

  get status(): ResourceStatus {
    return {
      resource: this.#options.resource,
      state: this.#state,
      ...(this.#reason !== undefined && { reason: this.#reason }),
      lists: this.#lists,
      objects: this.#known.size,
    }
  }

  start(): void {
    this.#ended ??= this.#run()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const retry = new WatchRetry(this.#options.refusedRetryMs)
    while (!signal.aborted) {
      let wait = 0
      try {
        this.#version ??= await this.#list()
        const lines = await this.#watch()
        if (lines > 0) retry.reset()
        else wait = retry.waitAfter('closed')
      } catch (error) {
        if (signal.aborted) return
        wait = retry.waitAfter(this.#failed(error))
      }
      if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => {})
    }
  }

  #failed(error: unknown): WatchEnd {
    if (error instanceof ApiError && error.isExpired) {
      this.#version = undefined
      return 'expired'
    }
    const reason = error instanceof Error ? error.message : String(error)
    const state = error instanceof ApiError && error.isRefusal ? 'refused' : 'away'
    this.#enter(state, reason)
    return state
  }

  #enter(state: ResourceStatus['state'], reason?: string): void {
    const same = this.#state === state
    this.#state = state
    this.#reason = reason
    if (!same) this.#options.changed(this.status)
  }

  /** Reads all objects in pages. Returns the version to watch from. */
  async #list(): Promise<string> {
    const { api, path, metadataOnly, sink } = this.#options
    const accept = metadataOnly ? asMetadata('PartialObjectMetadataList') : JSON_TYPE
    const listed = new Set<string>()
    let next = ''
    for (;;) {
      const query = new URLSearchParams({ limit: String(PAGE), ...(next && { continue: next }) })
      const answer = await api.get(`${path}?${query}`, accept, this.#stop.signal)
      const { items, metadata: list } = page.parse(JSON.parse(await readWhole(answer, MAX_PAGE_BYTES)))
      for (const item of items ?? []) {
        const uid = uidOf(item)
        if (uid === undefined) continue
        listed.add(uid)
        this.#known.add(uid)
        sink.put(item)
      }
      next = list.continue ?? ''
      if (next !== '') continue
      this.#lists++
      for (const uid of this.#known) if (!listed.has(uid)) this.#known.delete(uid)
      sink.keepOnly(listed)
      return list.resourceVersion
    }
  }

  /** Follows changes until the server ends the watch. Returns the number of changes. */
  async #watch(): Promise<number> {
    const { api, path, metadataOnly } = this.#options
    const query = new URLSearchParams({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.#version!,
      timeoutSeconds: String(Math.round(WATCH_SECONDS * (1 + Math.random()))),
    })
    const accept = metadataOnly ? asMetadata('PartialObjectMetadata') : JSON_TYPE
    const answer = await api.get(`${path}?${query}`, accept, this.#stop.signal)
    this.#enter('watching')
    answer.socket.setTimeout(SILENT_MS, () => answer.destroy(new Error('the watch is silent')))
    let lines = 0
    for await (const line of readLines(answer)) {
      lines++
      this.#take(change.parse(JSON.parse(line)))
    }
    return lines
  }

  #take({ type, object }: z.output<typeof change>): void {
    const { sink } = this.#options
    if (type === 'ERROR') {
      const { code, message } = problem.parse(object)
      throw new ApiError(code, message ?? 'the watch ended with an error')
    }
    const uid = uidOf(object)
    if (type === 'DELETED' && uid !== undefined) {
      this.#known.delete(uid)
      sink.remove(uid, object)
    } else if ((type === 'ADDED' || type === 'MODIFIED') && uid !== undefined) {
      this.#known.add(uid)
      sink.put(object)
    }
    const { data } = versioned.safeParse(object)
    if (data) this.#version = data.metadata.resourceVersion
  }
}

const identified = z.object({ metadata: metadata.pick({ uid: true }) })

function uidOf(object: unknown): string | undefined {
  return identified.safeParse(object).data?.metadata.uid
}
