import { networkInterfaces } from 'node:os'
import type { KernelBlockSink } from '../kernel-ring.ts'
import { SystemCallError } from '../system-call-error.ts'
import type { SystemCalls } from '../system-calls.ts'
import { inNamespace, LostNamespaceError } from './enter-namespace.ts'
import { type NetworkNamespace, NetworkNamespaces } from './network-namespaces.ts'
import { PacketBatch } from './packet-batch.ts'
import { PodAddresses } from './pod-addresses.ts'
import { podDevices } from './pod-devices.ts'
import { PodSocket } from './pod-socket.ts'

/** Namespaces that are captured; the kubelet allows 110 pods on a node by default. */
const MAX_NAMESPACES = 256
/** How often namespaces are looked for. */
const SCAN_MS = 1000
/** Namespaces that are opened in one scan: each takes some system calls. */
const MAX_OPENED = 32
/** A namespace without an address is tried again after this many scans. */
const RETRY_SCANS = 5
/** Time in which packets gather, so that a busy pod wakes this thread seldom. */
const GATHER_MS = 20
/** System calls for one pod before the others have their turn. */
const MAX_BATCHES = 16
/** Numbers above those of real interfaces. */
const FIRST_INDEX = 0x4000_0000
const EPERM = 1

export interface PodCaptureOptions {
  /** The loopback interface of each pod. */
  readonly loopback: boolean
  /** The interfaces through which each pod reaches others. */
  readonly interfaces: boolean
}

/** The pods whose own interfaces are captured now. */
export interface PodCaptureStatus {
  readonly namespaces: number
  /** Namespaces that are not captured: above the limit, or not accessible. Those without an address do not count. */
  readonly refused: number
  readonly reason?: string
}

/**
 * Captures inside of the pods of this node, as they come and go: on their loopback, and on their other interfaces where a
 * network shows their packets on no interface of the host. A packet that the host shows too is a
 * duplicate, like one that passes several interfaces of the host.
 */
export class PodCapture {
  /** Packets that the kernel dropped because a queue was full. */
  drops = 0
  readonly #options: PodCaptureOptions
  readonly #calls: SystemCalls
  readonly #batch: PacketBatch
  readonly #found = new NetworkNamespaces()
  readonly #open = new Map<string, readonly PodSocket[]>()
  readonly #byIndex = new Map<number, PodSocket>()
  /** Namespaces that were not opened, with the number of the scan. */
  readonly #failed = new Map<string, { readonly scan: number; readonly hasAddress: boolean }>()
  readonly #ready = new Set<PodSocket>()
  #sink: (KernelBlockSink & { flush(drops: number): void }) | undefined
  #filter: Uint8Array
  #scans = 0
  #refused = 0
  #isForbidden = false
  #nextIndex = FIRST_INDEX
  #timer: NodeJS.Timeout | undefined
  #gathering: NodeJS.Timeout | undefined

  /** `table`: offset of `PacketBatch.bytes` bytes in the memory of the capture. */
  constructor(
    options: PodCaptureOptions,
    calls: SystemCalls,
    memory: ArrayBuffer,
    table: number,
    filter: Uint8Array,
  ) {
    this.#options = options
    this.#calls = calls
    this.#batch = new PacketBatch(calls, memory, table)
    this.#filter = filter
  }

  start(sink: KernelBlockSink & { flush(drops: number): void }): void {
    this.#sink = sink
    this.#scan()
    this.#timer = setInterval(() => this.#scan(), SCAN_MS)
  }

  setFilter(program: Uint8Array): void {
    this.#filter = program
    for (const socket of this.#byIndex.values()) socket.filter(program)
  }

  /** The name of an interface in recorded packets; undefined if it is not one of these. */
  nameOf(interfaceIndex: number): string | undefined {
    const socket = this.#byIndex.get(interfaceIndex)
    return socket?.name
  }

  get status(): PodCaptureStatus {
    const reason = this.#reason()
    return { namespaces: this.#open.size, refused: this.#refused, ...(reason && { reason }) }
  }

  /** Reads the kernel's counters; returns the packets dropped since the last time. */
  count(): number {
    let drops = 0
    for (const socket of this.#byIndex.values()) drops += socket.counts().drops
    this.drops += drops
    return drops
  }

  /** Passes everything that was captured so far to the sink. */
  drain(): void {
    for (const socket of this.#byIndex.values()) this.#read(socket, Number.POSITIVE_INFINITY)
    this.#sink?.flush(0)
  }

  close(): void {
    clearInterval(this.#timer)
    clearTimeout(this.#gathering)
    for (const id of this.#open.keys()) this.#close(id)
  }

  #scan(): void {
    this.#scans++
    const found = this.#found.scan()
    for (const id of this.#open.keys()) if (!found.has(id)) this.#close(id)
    for (const id of this.#failed.keys()) if (!found.has(id)) this.#failed.delete(id)
    let opened = 0
    for (const namespace of found.values()) {
      if (this.#isForbidden || this.#open.size >= MAX_NAMESPACES || opened >= MAX_OPENED) break
      const failed = this.#failed.get(namespace.id)
      if (this.#open.has(namespace.id)) continue
      if (failed !== undefined && this.#scans - failed.scan < RETRY_SCANS) continue
      opened++
      this.#tryOpen(namespace)
    }
    // Programs in a sandbox have a namespace without an address: they are no pods.
    const others = [...this.#failed.values()].filter(({ hasAddress }) => !hasAddress).length
    this.#refused = found.size - this.#open.size - others
  }

  #tryOpen(namespace: NetworkNamespace): void {
    try {
      const hasAddress = this.#openIn(namespace)
      if (hasAddress) this.#failed.delete(namespace.id)
      else this.#failed.set(namespace.id, { scan: this.#scans, hasAddress })
    } catch (error) {
      // The thread must end: it would capture in the wrong namespace.
      if (error instanceof LostNamespaceError) throw error
      if (error instanceof SystemCallError && error.errno === EPERM) this.#isForbidden = true
      this.#failed.set(namespace.id, { scan: this.#scans, hasAddress: true })
    }
  }

  /** Returns false if the namespace has no address. */
  #openIn({ id, process }: NetworkNamespace): boolean {
    const sockets = inNamespace(this.#calls, this.#found.path(process), id, () => {
      const interfaces = networkInterfaces()
      const addresses = PodAddresses.of(interfaces, Number(id.replace(/\D/g, '')))
      return addresses && this.#openSockets(addresses, podDevices(interfaces))
    })
    if (sockets === undefined) return false
    this.#open.set(id, sockets)
    for (const socket of sockets) this.#follow(socket)
    return true
  }

  /** One for each interface, or none: throws. */
  #openSockets(addresses: PodAddresses, outward: readonly string[]): PodSocket[] {
    const { loopback, interfaces } = this.#options
    const sockets: PodSocket[] = []
    try {
      for (const device of [...(loopback ? ['lo'] : []), ...(interfaces ? outward : [])])
        sockets.push(
          new PodSocket(this.#calls, {
            device,
            interfaceIndex: this.#nextIndex++,
            filter: this.#filter,
            addresses,
          }),
        )
    } catch (error) {
      for (const socket of sockets) socket.close()
      throw error
    }
    return sockets
  }

  #follow(socket: PodSocket): void {
    this.#byIndex.set(socket.interfaceIndex, socket)
    socket.whenReadable(() => {
      this.#ready.add(socket)
      this.#gathering ??= setTimeout(() => this.#drainReady(), GATHER_MS)
    })
  }

  #close(id: string): void {
    for (const socket of this.#open.get(id) ?? []) {
      this.#read(socket, Number.POSITIVE_INFINITY)
      this.drops += socket.counts().drops
      this.#ready.delete(socket)
      this.#byIndex.delete(socket.interfaceIndex)
      socket.close()
    }
    this.#open.delete(id)
  }

  #drainReady(): void {
    this.#gathering = undefined
    for (const socket of this.#ready) {
      if (!this.#read(socket, MAX_BATCHES)) continue
      this.#ready.delete(socket)
      socket.waitAgain()
    }
    this.#sink?.flush(0)
    if (this.#ready.size > 0) this.#gathering = setTimeout(() => this.#drainReady(), 0)
  }

  /** Returns whether all packets of the socket were read. */
  #read(socket: PodSocket, batches: number): boolean {
    const batch = this.#batch
    for (let i = 0; i < batches; i++) {
      const count = batch.receive(socket.fd, socket.interfaceIndex)
      if (count <= 0) return true
      for (let packet = 0; socket.isLoopback && packet < count; packet++) {
        const frame = batch.frame(packet)
        socket.addresses.replace(batch.memory, frame, frame + batch.captured(packet))
      }
      // 0 bytes: packets are copied, since the memory is used again.
      this.#sink?.block(batch.at, count, 0)
      if (count < PacketBatch.maxPackets) return true
    }
    return false
  }

  #reason(): string | undefined {
    const { loopback, interfaces } = this.#options
    const key = loopback ? 'podLoopback' : 'podInterfaces'
    const what = loopback
      ? interfaces
        ? 'The loopback and the interfaces'
        : 'The loopback'
      : 'The interfaces'
    const isNot = `${interfaces ? 'are' : 'is'} not captured`
    if (this.#isForbidden)
      return `${what} of pods ${isNot}: the right to enter network namespaces (CAP_SYS_ADMIN) is missing. With Helm, tap.capture.${key}=true grants it.`
    if (this.#found.isRestricted)
      return `${what} of some pods ${isNot}: the namespaces of other processes cannot be read. CAP_SYS_PTRACE is missing.`
    if (this.#open.size >= MAX_NAMESPACES && this.#refused > 0)
      return `${what} of ${this.#refused} pods ${isNot}: at most ${MAX_NAMESPACES} are.`
    return undefined
  }
}
