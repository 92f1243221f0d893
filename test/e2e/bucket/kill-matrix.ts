import { rmSync } from 'node:fs'
import type { FaultProxy, PassedRequest, ProxyFault } from '@tapdeck/objects/testing'
import type { BucketContents } from './bucket-contents.ts'
import type { BucketHub, BucketProcesses, StartedProcess } from './bucket-processes.ts'
import { PacketDigest } from './packet-digest.ts'
import type { WrittenRing } from './written-ring.ts'

export interface KillMatrixOptions {
  readonly processes: BucketProcesses
  /** What all processes reach the storage through. */
  readonly proxy: FaultProxy
  readonly contents: BucketContents
  /** That of the worker. */
  readonly ring: WrittenRing
  /** The part in whose transfer something happens. */
  readonly part: number
}

export interface ShownSnapshot {
  readonly name: string
  readonly status: string
  readonly location: string
  readonly error?: string
  readonly upload_error?: string
  readonly restarts?: number
  readonly nodes: readonly {
    readonly status: string
    readonly size_bytes: number
    readonly upload_error?: string
  }[]
}

/** Where a job is killed. */
export type JobStep = 'copy' | 'dissect' | 'store'

export const isNodePart = ({ method, granted }: PassedRequest) => method === 'PUT' && granted
const isHubPart = ({ method, granted, query }: PassedRequest) =>
  method === 'PUT' && !granted && query.has('partNumber')
export const isCompletion = ({ method, query }: PassedRequest) => method === 'POST' && query.has('uploadId')
const isManifest = ({ method, key }: PassedRequest) => method === 'PUT' && key.includes('/manifests/')
const isCaptureRead = ({ method, key }: PassedRequest) => method === 'GET' && key.endsWith('.pcapng')
const isResult = ({ method, key }: PassedRequest) =>
  method === 'PUT' && /\/data\/[^/]+\/dissections\//.test(key)
const partOf = ({ query }: PassedRequest) => Number(query.get('partNumber'))

/** Kills the processes of one hub, its worker and its jobs at each step, and requires that nothing is lost or left. Each step throws otherwise. */
export class KillMatrix {
  readonly #options: KillMatrixOptions
  #hub: BucketHub | undefined
  #worker: StartedProcess | undefined
  #settings: readonly string[] = []

  constructor(options: KillMatrixOptions) {
    this.#options = options
  }

  get hub(): BucketHub {
    return this.#hub!
  }

  get worker(): StartedProcess {
    return this.#worker!
  }

  /** Starts the hub, or starts it again. */
  async startHub(...settings: string[]): Promise<void> {
    this.#settings = settings
    this.#hub = await this.#options.processes.hub('a', settings)
    if (this.#worker === undefined) this.startWorker()
    await this.connected()
  }

  startWorker(): void {
    const set = [`tap.capture.raw.storageSize=${2 * this.#options.ring.bytes + 2 ** 28}`]
    // Nothing is captured at this port: the ring stays as it is.
    this.#worker = this.#options.processes.worker(this.hub, 1, set)
  }

  async connected(): Promise<void> {
    type Status = { readonly nodes: readonly { readonly connected: boolean }[] }
    await this.#options.processes.until('the worker is connected', async () =>
      (await this.hub.get<Status>('/api/status')).nodes.some(({ connected }) => connected),
    )
  }

  async restartHub(...settings: string[]): Promise<void> {
    await this.hub.kill()
    await this.startHub(...settings)
  }

  async begin(name: string): Promise<void> {
    this.#options.proxy.requests.length = 0
    await this.hub.post('/mcp/snapshots', { name, duration: '1h' })
  }

  snapshot(name: string, hub = this.hub): Promise<ShownSnapshot> {
    return hub.get<ShownSnapshot>(`/mcp/snapshots/${name}`)
  }

  until(name: string, what: (snapshot: ShownSnapshot) => boolean, hub = this.hub): Promise<ShownSnapshot> {
    return this.#options.processes.until(`snapshot ${name} is ${what}`, async () => {
      const snapshot = await this.snapshot(name, hub)
      return what(snapshot) ? snapshot : undefined
    })
  }

  inBucket(name: string): Promise<ShownSnapshot> {
    return this.until(name, ({ location, status }) => location === 's3' || status === 'failed')
  }

  /** The download has the packets of the ring, and the bucket nothing that is not named. */
  async requireWhole(name: string, hub = this.hub): Promise<void> {
    const { status, location, error } = await this.inBucket(name)
    require(status === 'completed' && location === 's3', `${name} is ${status} at ${location}: ${error}`)
    require((await this.download(name, '', hub)) === this.#options.ring.digest, `${name} has other packets`)
    await this.requireNoOrphans()
  }

  async download(name: string, query: string, hub = this.hub): Promise<string> {
    return new PacketDigest().read(await hub.stream(`/mcp/snapshots/${name}/pcap${query}`))
  }

  async requireNoOrphans(): Promise<void> {
    const { processes, contents } = this.#options
    let orphans: string[] = []
    await processes
      .until('the bucket has no orphans', async () => {
        orphans = await contents.orphans()
        return orphans.length === 0
      })
      .catch(() => require(false, `orphans: ${orphans.join(', ')}`))
  }

  async delete(name: string): Promise<void> {
    await this.hub.delete(`/mcp/snapshots/${name}?force=true`)
  }

  /** The worker is killed; another one continues. */
  async killWorkerDuringUpload(name: string): Promise<void> {
    const hold = this.#hold((request) => isNodePart(request) && partOf(request) === this.#options.part)
    await this.begin(name)
    await hold.reached
    await this.worker.kill()
    hold.release()
    this.startWorker()
    await this.requireWhole(name)
    this.#requireSentOnce(isNodePart)
    require((await this.hub.uploaded()).hub === 0, 'the hub carried packets')
  }

  /** The hub is killed: the next one takes the snapshot again, and nothing is left of the first attempt. */
  async killHubDuringNodeUpload(name: string): Promise<void> {
    const hold = this.#hold((request) => isNodePart(request) && partOf(request) === this.#options.part)
    await this.begin(name)
    await hold.reached
    await this.hub.kill()
    hold.release()
    await this.startHub()
    await this.requireWhole(name)
    const { restarts } = await this.snapshot(name)
    require(restarts === 1, `${name} was begun again ${restarts} times`)
  }

  /** The hub is killed while it uploads what it has on its disk, and continues. */
  async killHubDuringOwnUpload(name: string): Promise<void> {
    await this.restartHub('tap.snapshots.s3.nodeUploads=false')
    const hold = this.#hold((request) => isHubPart(request) && partOf(request) === this.#options.part)
    await this.begin(name)
    await hold.reached
    await this.hub.kill()
    hold.release()
    await this.startHub(...this.#settings)
    await this.requireWhole(name)
    this.#requireSentOnce(isHubPart)
  }

  /** The hub is killed with all data in the bucket; or with the manifest there, of which it does not know. */
  async killHubAtManifest(name: string, isWritten: boolean): Promise<void> {
    const hold = this.#hold(isManifest, isWritten)
    await this.begin(name)
    await hold.reached
    await this.hub.kill()
    hold.release()
    await this.startHub(...this.#settings)
    await this.requireWhole(name)
    this.#requireSentOnce((request) => isNodePart(request) || isHubPart(request))
  }

  /** The storage goes away during an upload by the node, and the hub is killed before it is back. */
  async killHubWhileStorageIsAway(name: string): Promise<void> {
    const { proxy } = this.#options
    let isAway = false
    proxy.fault = (request) => {
      isAway ||= isNodePart(request) && partOf(request) === this.#options.part
      return isAway ? { kind: 'cut' } : undefined
    }
    await this.begin(name)
    const { nodes } = await this.until(name, (one) => one.upload_error !== undefined)
    require(nodes.every(
      ({ upload_error }) => upload_error !== undefined,
    ), 'the node is said to have uploaded')
    await this.hub.kill()
    proxy.fault = () => undefined
    await this.startHub(...this.#settings)
    await this.requireWhole(name)
  }

  /** Something goes wrong once during an upload by the node. */
  async failOnce(
    name: string,
    what: ProxyFault,
    isMeant: (request: PassedRequest) => boolean,
  ): Promise<void> {
    const { proxy } = this.#options
    let isDone = false
    proxy.fault = (request) => {
      if (isDone || !isMeant(request)) return undefined
      isDone = true
      return what
    }
    await this.begin(name)
    await this.requireWhole(name)
    require(isDone, 'the fault did not happen')
    proxy.fault = () => undefined
  }

  /** Kills a job at a step. What it left is an orphan until the next job, or the end of the snapshot. */
  async killJob(snapshot: string, name: string, step: JobStep, ...args: string[]): Promise<void> {
    const { processes, proxy } = this.#options
    const before = proxy.requests.length
    const job = processes.job(snapshot, name, ...args)
    const size = sizeOf(await this.snapshot(snapshot))
    const read = () => sum(proxy.requests.slice(before).filter(isCaptureRead))
    const hold =
      step === 'copy'
        ? this.#hold((request) => isCaptureRead(request) && read() > size / 2)
        : this.#hold(isResult)
    const early = job.ended.then(({ output }) => require(false, `the job ended: ${output}`))
    const copied = processes.until('the job has copied all', () => read() >= size)
    await Promise.race([step === 'dissect' ? copied : hold.reached, early])
    early.catch(() => {})
    copied.catch(() => {})
    await job.kill()
    hold.release()
  }

  /** A hub that exports is killed; the download breaks off, and the next one is whole. */
  async killExporter(snapshot: string): Promise<void> {
    const { processes, proxy } = this.#options
    const other = await processes.hub('b')
    await this.until(snapshot, ({ status }) => status === 'completed', other)
    const before = proxy.requests.length
    const size = sizeOf(await this.snapshot(snapshot))
    const hold = this.#hold(
      (request) =>
        isCaptureRead(request) && sum(proxy.requests.slice(before).filter(isCaptureRead)) > size / 2,
    )
    const broken = this.download(snapshot, '', other).then(
      () => false,
      () => true,
    )
    await hold.reached
    await other.kill()
    hold.release()
    require(await broken, 'a download that was cut off seems whole')
    await this.requireWhole(snapshot, await processes.hub('b'))
  }

  /** A hub is lost with its disk during an upload by a node. */
  async leaveOrphans(name: string): Promise<void> {
    const hold = this.#hold((request) => isNodePart(request) && partOf(request) === this.#options.part)
    await this.begin(name)
    await hold.reached
    await this.hub.kill()
    rmSync(this.#options.processes.folder('a'), { recursive: true })
    hold.release()
    await this.startHub()
  }

  /** With all snapshots deleted, the bucket is empty. */
  async requireEmpty(names: readonly string[]): Promise<void> {
    for (const name of names) await this.delete(name)
    const { processes, contents } = this.#options
    await processes.until('the bucket is empty', async () => {
      return (await contents.keys()).length === 0 && (await contents.orphans()).length === 0
    })
  }

  /** Holds the first request of a kind back; with `isPassed`, only its answer. */
  #hold(isMeant: (request: PassedRequest) => boolean, isPassed = false) {
    const { proxy } = this.#options
    let release = () => {}
    let arrive = () => {}
    const until = new Promise<void>((resolve) => {
      release = resolve
    })
    const reached = new Promise<void>((resolve) => {
      arrive = resolve
    })
    proxy.fault = (request) => {
      if (!isMeant(request)) return undefined
      arrive()
      return isPassed ? { kind: 'cut_after' } : { kind: 'slow', until }
    }
    return {
      reached,
      release: () => {
        proxy.fault = () => undefined
        release()
      },
    }
  }

  /** No part that the storage confirmed was sent again. */
  #requireSentOnce(isMeant: (request: PassedRequest) => boolean): void {
    const done = this.#options.proxy.requests.filter((one) => isMeant(one) && one.status === 200)
    const names = done.map((one) => `${one.query.get('uploadId')}/${partOf(one)}`)
    const held = names.filter((name) => name.endsWith(`/${this.#options.part}`)).length
    require(names.length - new Set(names).size <= Math.max(0, held - 1), `sent twice: ${names.join(' ')}`)
  }
}

/** Of its captures, without names and events. */
function sizeOf({ nodes }: ShownSnapshot): number {
  return nodes.reduce((total, { size_bytes }) => total + size_bytes, 0)
}

function sum(requests: readonly PassedRequest[]): number {
  return requests.reduce((total, { sent }) => total + sent, 0)
}

function require(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
