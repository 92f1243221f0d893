import { interfaceIndex } from '../interface-index.ts'
import { AF_PACKET, packetAddress, SOCK_CLOEXEC, SOCK_RAW } from '../packet-socket.ts'
import { type KernelCounts, SOL_PACKET, SOL_SOCKET, SocketOptions } from '../socket-options.ts'
import { SystemCallError } from '../system-call-error.ts'
import type { Poll, SystemCalls } from '../system-calls.ts'
import type { PodAddresses } from './pod-addresses.ts'

const SO_RCVBUF = 8
const SO_RCVBUFFORCE = 33
const SO_TIMESTAMPNS = 35
const PACKET_AUXDATA = 8
/** Half of the bytes that the kernel may queue: it doubles the value. Nothing is reserved. */
const QUEUE_BYTES = 512 * 1024
const LOOPBACK = 'lo'
const ENODEV = 19

export interface PodSocketOptions {
  /** The name of an interface of the namespace. */
  readonly device: string
  /** The index of its interface in recorded packets. */
  readonly interfaceIndex: number
  readonly filter: Uint8Array
  readonly addresses: PodAddresses
}

/** A socket on an interface of the network namespace in which it is made. */
export class PodSocket {
  readonly fd: number
  readonly interfaceIndex: number
  readonly addresses: PodAddresses
  readonly #device: string
  readonly #calls: SystemCalls
  readonly #options: SocketOptions
  #poll: Poll | undefined

  /** Throws `SystemCallError`. */
  constructor(calls: SystemCalls, options: PodSocketOptions) {
    this.#calls = calls
    this.#device = options.device
    this.interfaceIndex = options.interfaceIndex
    this.addresses = options.addresses
    // Protocol 0 receives nothing until bind, so no packet arrives before the filter is attached.
    this.fd = calls.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)
    if (this.fd < 0) throw new SystemCallError('socket', calls.errno())
    this.#options = new SocketOptions(calls, this.fd)
    try {
      this.#setQueue()
      this.#options.set(SOL_SOCKET, SO_TIMESTAMPNS, [1], 'SO_TIMESTAMPNS')
      this.#options.set(SOL_PACKET, PACKET_AUXDATA, [1], 'PACKET_AUXDATA')
      this.filter(options.filter)
      const index = interfaceIndex(calls, this.fd, options.device)
      if (index === undefined) throw new SystemCallError('SIOCGIFINDEX', ENODEV)
      const address = packetAddress(index)
      if (calls.bind(this.fd, address, address.length) < 0) throw new SystemCallError('bind', calls.errno())
    } catch (error) {
      calls.close(this.fd)
      throw error
    }
  }

  /** The name of its interface in recorded packets. */
  get name(): string {
    return `${this.#device}@${this.addresses.text}`
  }

  get isLoopback(): boolean {
    return this.#device === LOOPBACK
  }

  filter(program: Uint8Array): void {
    this.#options.filter(program)
  }

  /** Reading resets the kernel's counters. */
  counts(): KernelCounts {
    return this.#options.counts()
  }

  /** Calls back once when there is something to read; again after `waitAgain`. */
  whenReadable(callback: () => void): void {
    this.#poll = this.#calls.whenReadable(this.fd, () => {
      this.#poll?.stop()
      callback()
    })
  }

  waitAgain(): void {
    this.#poll?.start()
  }

  /** The kernel keeps a namespace as long as a socket is open in it. */
  close(): void {
    this.#poll?.stop()
    this.#poll?.close()
    this.#poll = undefined
    this.#calls.close(this.fd)
  }

  /** More than the system's limit needs CAP_NET_ADMIN. */
  #setQueue(): void {
    try {
      this.#options.set(SOL_SOCKET, SO_RCVBUFFORCE, [QUEUE_BYTES], 'SO_RCVBUFFORCE')
    } catch {
      this.#options.set(SOL_SOCKET, SO_RCVBUF, [QUEUE_BYTES], 'SO_RCVBUF')
    }
  }
}
