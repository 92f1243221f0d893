import { SystemCallError } from './system-call-error.ts'
import type { SystemCalls } from './system-calls.ts'

/** linux/if_packet.h and its neighbours; the same on every 64-bit architecture that Node.js runs on. */
const AF_PACKET = 17
const SOCK_RAW = 3
const SOCK_CLOEXEC = 0o2000000
const ETH_P_ALL = 0x0003
const SOL_SOCKET = 1
const SO_ATTACH_FILTER = 26
const SOL_PACKET = 263
const PACKET_RX_RING = 5
const PACKET_STATISTICS = 6
const PACKET_VERSION = 10
const PACKET_RESERVE = 12
const TPACKET_V3 = 2
const PROT_READ_WRITE = 3
const MAP_SHARED = 1
const MAP_FIXED = 16
const MAP_ANONYMOUS = 32
const MREMAP_MAYMOVE_FIXED = 3
const MAP_FAILED = 0xffff_ffff_ffff_ffffn
const SIOCGIFNAME = 0x8910
const SIOCGIFINDEX = 0x8933
const IFNAMSIZ = 16
const IFREQ_SIZE = 40
const WASM_PAGE = 65_536

/** Each block that comes wakes the thread, whose code is then no longer in the processor's cache. No more: it is the most that the kernel allocates at once. */
export const BLOCK_SIZE = 4 << 20
/** Where the first packet of a block lies: in a page of its own, behind room for a block of statistics. */
export const FIRST_PACKET = 4096 + 16
/** struct tpacket_block_desc; what follows it is ours. */
const BLOCK_HEADER = 48
/** Room in front of each frame: with it, Ethernet frames begin at a multiple of 4. */
const ALIGNING_ROOM = 2
/** A block goes to us when it is full, or this many milliseconds after its first packet. */
const RETIRE_MS = 64

/** What the kernel counted since it was asked last. */
export interface KernelCounts {
  readonly packets: number
  readonly drops: number
}

/**
 * An AF_PACKET socket with a memory-mapped receive ring (TPACKET_V3), of this network namespace. It is silent until
 * `listen`. After `close` its ring is empty.
 */
export class PacketSocket {
  readonly fd: number
  /** The ring, behind it as many bytes as were asked for to share and to keep: one memory, so that bytes move without views of them. */
  readonly memory: WebAssembly.Memory
  readonly ringBytes: number
  /** Where the shared bytes lie in the memory of the process for other threads. They stay there after `close`. */
  readonly sharedAddress: bigint
  readonly #calls: SystemCalls
  readonly #address: bigint
  #open = true

  /** Throws `SystemCallError`; EPERM or EACCES where the right to capture is missing. */
  constructor(calls: SystemCalls, bufferSize: number, sharedBytes: number, ownBytes: number) {
    this.#calls = calls
    const blocks = Math.max(4, Math.floor(bufferSize / BLOCK_SIZE))
    // Protocol 0 receives nothing until bind: no packet slips in before the filter stands.
    this.fd = this.#calls.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)
    if (this.fd < 0) throw this.#failed('socket')
    try {
      this.#option(SOL_PACKET, PACKET_VERSION, words(TPACKET_V3), 'PACKET_VERSION')
      this.#option(SOL_PACKET, PACKET_RESERVE, words(ALIGNING_ROOM), 'PACKET_RESERVE')
      const frameSize = 2048
      const frames = (BLOCK_SIZE / frameSize) * blocks
      const ring = words(BLOCK_SIZE, blocks, frameSize, frames, RETIRE_MS, FIRST_PACKET - BLOCK_HEADER, 0)
      this.#option(SOL_PACKET, PACKET_RX_RING, ring, 'PACKET_RX_RING')
      this.ringBytes = BLOCK_SIZE * blocks
      const pages = Math.ceil((this.ringBytes + sharedBytes + ownBytes) / WASM_PAGE)
      this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
      this.#address = this.#calls.address(new Uint8Array(this.memory.buffer))
      this.#map(this.#address, this.ringBytes, MAP_SHARED | MAP_FIXED, this.fd)
      // The memory goes with this thread, but others may still read what is shared: the same pages have a second address.
      this.sharedAddress = this.#map(null, sharedBytes, MAP_SHARED | MAP_ANONYMOUS, -1)
      this.#mapAgain(this.sharedAddress, sharedBytes, this.#address + BigInt(this.ringBytes))
    } catch (error) {
      this.#calls.close(this.fd)
      throw error
    }
  }

  /** Begins to receive, from all interfaces; the filter chooses. */
  listen(filter: Uint8Array): void {
    this.filter(filter)
    const address = new Uint8Array(20)
    const view = new DataView(address.buffer)
    view.setUint16(0, AF_PACKET, true)
    view.setUint16(2, ETH_P_ALL, false)
    if (this.#calls.bind(this.fd, address, address.length) < 0) throw this.#failed('bind')
  }

  /** Replaces the filter at once, without a packet in between. */
  filter(program: Uint8Array): void {
    // struct sock_fprog: a count, and a pointer after padding to 8 bytes.
    const argument = new Uint8Array(16)
    const view = new DataView(argument.buffer)
    view.setUint16(0, program.length / 8, true)
    view.setBigUint64(8, this.#calls.address(program), true)
    this.#option(SOL_SOCKET, SO_ATTACH_FILTER, argument, 'SO_ATTACH_FILTER')
  }

  /** Reading sets the kernel's counters back to 0. */
  counts(): KernelCounts {
    const value = new Uint8Array(12)
    const length = Uint32Array.of(12)
    if (this.#calls.getsockopt(this.fd, SOL_PACKET, PACKET_STATISTICS, value, length) < 0)
      throw this.#failed('PACKET_STATISTICS')
    const view = new DataView(value.buffer)
    return { packets: view.getUint32(0, true), drops: view.getUint32(4, true) }
  }

  interfaceName(index: number): string | undefined {
    const request = new Uint8Array(IFREQ_SIZE)
    new DataView(request.buffer).setInt32(IFNAMSIZ, index, true)
    if (this.#calls.ioctl(this.fd, SIOCGIFNAME, request) < 0) return undefined
    return new TextDecoder().decode(request.subarray(0, request.subarray(0, IFNAMSIZ).indexOf(0)))
  }

  interfaceIndex(name: string): number | undefined {
    const encoded = new TextEncoder().encode(name)
    if (encoded.length >= IFNAMSIZ) return undefined
    const request = new Uint8Array(IFREQ_SIZE)
    request.set(encoded)
    if (this.#calls.ioctl(this.fd, SIOCGIFINDEX, request) < 0) return undefined
    return new DataView(request.buffer).getInt32(IFNAMSIZ, true)
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    // Something must be there: the memory around it is not ours to leave a hole in.
    this.#map(this.#address, this.ringBytes, MAP_SHARED | MAP_FIXED | MAP_ANONYMOUS, -1)
    this.#calls.close(this.fd)
  }

  #map(at: bigint | null, length: number, flags: number, fd: number): bigint {
    const address = this.#calls.mmap(at, length, PROT_READ_WRITE, flags, fd, 0)
    if (BigInt.asUintN(64, address) === MAP_FAILED) throw this.#failed('mmap')
    return address
  }

  #mapAgain(from: bigint, length: number, to: bigint): void {
    // Of length 0 it moves nothing, and maps the pages a second time.
    const address = this.#calls.mremap(from, 0, length, MREMAP_MAYMOVE_FIXED, to)
    if (BigInt.asUintN(64, address) === MAP_FAILED) throw this.#failed('mremap')
  }

  #failed(call: string): SystemCallError {
    return new SystemCallError(call, this.#calls.errno())
  }

  #option(level: number, name: number, value: Uint8Array, title: string): void {
    if (this.#calls.setsockopt(this.fd, level, name, value, value.length) < 0) throw this.#failed(title)
  }
}

function words(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer)
}
