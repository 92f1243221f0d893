import { setTimeout as sleep } from 'node:timers/promises'
import type { BpfFilter } from '@tapdeck/bpf'
import type { Inventory } from '@tapdeck/inventory'
import type { Worker } from '../cluster/worker.ts'
import type { Directory } from '../directory.ts'
import { PacketOrigin, PcapngCapture } from '../export/capture-writer.ts'
import type { PacketTest } from '../export/conversations.ts'
import { FlowComments } from '../export/flow-comments.ts'
import { addressNames } from '../export/snapshot-capture.ts'
import type { SnapshotKeys } from '../snapshots/snapshot-keys.ts'
import type { MatchedConnections } from './matched-connections.ts'
import { type FollowOptions, NodeFollower, type WantedPackets } from './node-follower.ts'
import { PacketOutlet } from './packet-outlet.ts'
import { addressKeys, addressTest, type PodSelection, podAddresses, selectsPods } from './pod-addresses.ts'
import { StreamedSecrets } from './streamed-secrets.ts'

export interface LivePacketsOptions {
  /** The present connections of the nodes that are wanted. */
  readonly workers: () => readonly Worker[]
  readonly directory: Pick<Directory, 'inventory' | 'resolver'>
  readonly selection: PodSelection
  readonly bpf: BpfFilter | undefined
  /** Present: only packets of these connections. */
  readonly matched: MatchedConnections | undefined
  /** Present: with the TLS secrets of the nodes. */
  readonly keys: Pick<SnapshotKeys, 'of'> | undefined
  readonly now: () => number
}

const STEP_MS = 200
const LOOK_MS = 1000
/** A block without content, by which readers and proxies see that the capture goes on. */
const SIGN_OF_LIFE_MS = 10_000
/** A pod that has just ended may still have packets on their way. */
const ENDED_POD_MS = 60_000

/** What the selected pods come to in an inventory. */
interface Selected {
  readonly inventory: Inventory
  readonly isEmpty: boolean
  readonly test: PacketTest
  readonly parties: readonly (readonly number[])[]
}

/** One live capture of several nodes, as pcapng. It begins with the first `next`, and ends with `stop`. */
export class LivePackets {
  readonly #options: LivePacketsOptions
  readonly #outlet = new PacketOutlet()
  readonly #stop = new AbortController()
  readonly #writer: PcapngCapture
  readonly #comments: FlowComments
  /** What concerns no node alone is noted at an interface of this name. */
  readonly #hub = new PacketOrigin('tapdeck')
  readonly #followed = new Set<string>()
  readonly #secrets: StreamedSecrets | undefined
  #names: ReadonlyMap<string, readonly string[]>
  #named: Inventory
  #selected: Selected | undefined
  #running: Promise<void> | undefined

  constructor(options: LivePacketsOptions) {
    this.#options = options
    const { directory, keys } = options
    this.#named = directory.inventory
    this.#names = addressNames(this.#named)
    this.#writer = new PcapngCapture(this.#names)
    this.#comments = new FlowComments({
      resolve: (ip, port, time) => directory.resolver.resolve(ip, port, time),
    })
    this.#secrets = keys && new StreamedSecrets(keys)
  }

  /** The next bytes; undefined after `stop`. Rejects where the capture cannot go on. */
  next(): Promise<Uint8Array | undefined> {
    this.#running ??= this.#run()
    return this.#outlet.next()
  }

  stop(): void {
    this.#stop.abort()
    this.#outlet.end()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    const { output } = this.#outlet
    this.#writer.header(output)
    const selected = this.#selection(this.#options.now())
    if (selected?.isEmpty) this.#notice('no running pod is selected; packets come when one starts')
    await this.#outlet.written()
    for (let last = performance.now(); !signal.aborted; ) {
      for (const { node } of this.#options.workers()) if (!this.#followed.has(node)) void this.#follow(node)
      this.#addNames()
      this.#noteSkippedCalls()
      if (performance.now() - last > SIGN_OF_LIFE_MS) {
        last = performance.now()
        this.#writer.names(output, new Map())
      }
      await this.#outlet.written()
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #follow(node: string): Promise<void> {
    const { signal } = this.#stop
    this.#followed.add(node)
    const follower = new NodeFollower(node, {
      outlet: this.#outlet,
      writer: this.#writer,
      comments: this.#comments,
      signal,
      wanted: (...part) => this.#wanted(...part),
      before: (worker, until) => this.#before(worker, until),
      now: this.#options.now,
    } satisfies FollowOptions)
    try {
      while (!signal.aborted) {
        const worker = this.#options.workers().find((one) => one.node === node)
        const more = worker !== undefined && (await follower.step(worker))
        if (!more) await sleep(STEP_MS, undefined, { signal })
      }
    } catch (error) {
      if (!signal.aborted) this.#outlet.end(error)
    }
  }

  async #before(worker: Worker, until: number): Promise<void> {
    await this.#secrets?.bring(worker, until, this.#outlet, this.#writer, this.#stop.signal)
  }

  #wanted(node: string, start: number, end: number): WantedPackets | undefined {
    const { matched, bpf } = this.#options
    const selected = this.#selection(end)
    const due = matched?.due(node, end)
    if (matched && due === undefined) return undefined
    const tests = [bpfTest(bpf), selected?.test, due?.test].filter((test) => test !== undefined)
    const parties = [...(selected?.parties ?? []), ...(due?.parties ?? [])]
    return {
      start: due?.start ?? start,
      end: due?.end ?? end,
      ...(parties.length > 0 && { parties }),
      test: (...packet) => tests.every((isWanted) => isWanted(...packet)),
      ...(due && { sent: due.sent }),
    }
  }

  /** Pods come and go while the capture runs. */
  #selection(now: number): Selected | undefined {
    const { selection, directory } = this.#options
    if (!selectsPods(selection)) return undefined
    const { inventory } = directory
    if (this.#selected?.inventory !== inventory) {
      const window = { start: now - ENDED_POD_MS, end: Number.POSITIVE_INFINITY }
      const addresses = podAddresses(inventory, selection, window)
      // Without an address, no packet: a list without a key would be no restriction.
      const keys = addressKeys(addresses)
      const isEmpty = keys.length === 0
      this.#selected = {
        ...{ inventory, isEmpty },
        test: addressTest(addresses),
        parties: [isEmpty ? [0] : keys],
      }
    }
    return this.#selected
  }

  #addNames(): void {
    const { inventory } = this.#options.directory
    if (inventory === this.#named) return
    this.#named = inventory
    const names = addressNames(inventory)
    const fresh = [...names].filter(([ip, all]) => all.join() !== this.#names.get(ip)?.join())
    this.#names = names
    if (fresh.length > 0) this.#writer.names(this.#outlet.output, new Map(fresh))
  }

  #noteSkippedCalls(): void {
    const { matched } = this.#options
    if (matched === undefined || matched.skipped.count === 0) return
    const { skipped } = matched.skipped.take()
    this.#notice(`${skipped} matching calls came too fast: packets of their connections may be missing`)
  }

  #notice(text: string): void {
    const time = Math.floor(this.#options.now() * 1000)
    this.#writer.notice(this.#outlet.output, this.#hub, time, 0, `tapdeck: ${text}`)
  }
}

function bpfTest(bpf: BpfFilter | undefined): PacketTest | undefined {
  return bpf && ((data, start, end, length, _time, link) => bpf.matches(data, start, end, length, link))
}
