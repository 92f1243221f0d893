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
/** The loopback interface has this index in every network namespace. */
const LOOPBACK_INDEX = 1

/** A socket on the loopback interface of the network namespace in which it is made. */
export class LoopbackSocket {
  readonly fd: number
  /** The index of its interface in recorded packets. */
  readonly interfaceIndex: number
  readonly addresses: PodAddresses
  readonly #calls: SystemCalls
  readonly #options: SocketOptions
  #poll: Poll | undefined

  /** Throws `SystemCallError`. */
  constructor(calls: SystemCalls, filter: Uint8Array, interfaceIndex: number, addresses: PodAddresses) {
    this.#calls = calls
    this.interfaceIndex = interfaceIndex
    this.addresses = addresses
    // Protocol 0 receives nothing until bind, so no packet arrives before the filter is attached.
    this.fd = calls.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)
    if (this.fd < 0) throw new SystemCallError('socket', calls.errno())
    this.#options = new SocketOptions(calls, this.fd)
    try {
      this.#setQueue()
      this.#options.set(SOL_SOCKET, SO_TIMESTAMPNS, [1], 'SO_TIMESTAMPNS')
      this.#options.set(SOL_PACKET, PACKET_AUXDATA, [1], 'PACKET_AUXDATA')
      this.filter(filter)
      const address = packetAddress(LOOPBACK_INDEX)
      if (calls.bind(this.fd, address, address.length) < 0) throw new SystemCallError('bind', calls.errno())
    } catch (error) {
      calls.close(this.fd)
      throw error
    }
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
