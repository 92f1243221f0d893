import { SystemCallError } from './system-call-error.ts'
import type { SystemCalls } from './system-calls.ts'

/** From linux/if_packet.h and related headers; the same on every 64-bit architecture that Node.js supports. */
export const SOL_SOCKET = 1
export const SOL_PACKET = 263
const SO_ATTACH_FILTER = 26
const PACKET_STATISTICS = 6

/** Counters of the kernel since the last read. */
export interface KernelCounts {
  readonly packets: number
  readonly drops: number
}

/** Options of an AF_PACKET socket. All throw `SystemCallError`. */
export class SocketOptions {
  readonly #calls: SystemCalls
  readonly #fd: number

  constructor(calls: SystemCalls, fd: number) {
    this.#calls = calls
    this.#fd = fd
  }

  /** `title` names the option in errors. */
  set(level: number, name: number, values: readonly number[], title: string): void {
    this.#set(level, name, new Uint8Array(Uint32Array.from(values).buffer), title)
  }

  /** Replaces the filter atomically. */
  filter(program: Uint8Array): void {
    // struct sock_fprog: a count, and a pointer after padding to 8 bytes.
    const argument = new Uint8Array(16)
    const view = new DataView(argument.buffer)
    view.setUint16(0, program.length / 8, true)
    view.setBigUint64(8, this.#calls.address(program), true)
    this.#set(SOL_SOCKET, SO_ATTACH_FILTER, argument, 'SO_ATTACH_FILTER')
  }

  /** Reading resets the kernel's counters. */
  counts(): KernelCounts {
    const value = new Uint8Array(12)
    const length = Uint32Array.of(12)
    if (this.#calls.getsockopt(this.#fd, SOL_PACKET, PACKET_STATISTICS, value, length) < 0)
      throw new SystemCallError('PACKET_STATISTICS', this.#calls.errno())
    const view = new DataView(value.buffer)
    return { packets: view.getUint32(0, true), drops: view.getUint32(4, true) }
  }

  #set(level: number, name: number, value: Uint8Array, title: string): void {
    if (this.#calls.setsockopt(this.#fd, level, name, value, value.length) < 0)
      throw new SystemCallError(title, this.#calls.errno())
  }
}
