import { IFNAMSIZ, IFREQ_SIZE, interfaceIndex } from './interface-index.ts'
import { type KernelCounts, SOL_PACKET, SocketOptions } from './socket-options.ts'
import { SystemCallError } from './system-call-error.ts'
import type { SystemCalls } from './system-calls.ts'

/** From linux/if_packet.h and related headers; the same on every 64-bit architecture that Node.js supports. */
export const AF_PACKET = 17
export const SOCK_RAW = 3
export const SOCK_CLOEXEC = 0o2000000
const ETH_P_ALL = 0x0003
/** struct sockaddr_ll */
const ADDRESS_BYTES = 20
const PACKET_RX_RING = 5
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
const WASM_PAGE = 65_536

/** Each block wakes the thread with cold caches, so blocks are large. This is the largest size that the kernel allocates at once. */
export const BLOCK_SIZE = 4 << 20
/** Offset of the first packet of a block: on a new page, after space for a statistics block. */
export const FIRST_PACKET = 4096 + 16
/** struct tpacket_block_desc; the private area follows. */
const BLOCK_HEADER = 48
/** Reserved bytes before each frame, so that Ethernet frames are aligned to 4 bytes. */
const ALIGNMENT_RESERVE = 2
/**
 * The kernel hands over a block when it is full, or after this many milliseconds, however few packets it has. So this times
 * the number of blocks is how long the thread may get no processor without loss, also at low rates.
 */
const RETIRE_MS = 128

/**
 * An AF_PACKET socket with a memory-mapped receive ring (TPACKET_V3) in this network namespace. It receives nothing before
 * `listen`. After `close` its ring is empty.
 */
export class PacketSocket {
  readonly fd: number
  /** One memory: the ring, then the shared bytes, then the private bytes. Bytes can be moved without views. */
  readonly memory: WebAssembly.Memory
  readonly ringBytes: number
  /** Address of the shared bytes for other threads. They stay mapped after `close`. */
  readonly sharedAddress: bigint
  readonly #calls: SystemCalls
  readonly #options: SocketOptions
  readonly #address: bigint
  #open = true

  /** Throws `SystemCallError`; EPERM or EACCES if the right to capture is missing. */
  constructor(calls: SystemCalls, bufferSize: number, sharedBytes: number, ownBytes: number) {
    this.#calls = calls
    const blocks = Math.max(4, Math.floor(bufferSize / BLOCK_SIZE))
    // Protocol 0 receives nothing until bind, so no packet arrives before the filter is attached.
    this.fd = this.#calls.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)
    if (this.fd < 0) throw this.#failed('socket')
    this.#options = new SocketOptions(calls, this.fd)
    try {
      this.#options.set(SOL_PACKET, PACKET_VERSION, [TPACKET_V3], 'PACKET_VERSION')
      this.#options.set(SOL_PACKET, PACKET_RESERVE, [ALIGNMENT_RESERVE], 'PACKET_RESERVE')
      const frameSize = 2048
      const frames = (BLOCK_SIZE / frameSize) * blocks
      const ring = [BLOCK_SIZE, blocks, frameSize, frames, RETIRE_MS, FIRST_PACKET - BLOCK_HEADER, 0]
      this.#options.set(SOL_PACKET, PACKET_RX_RING, ring, 'PACKET_RX_RING')
      this.ringBytes = BLOCK_SIZE * blocks
      const pages = Math.ceil((this.ringBytes + sharedBytes + ownBytes) / WASM_PAGE)
      this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
      this.#address = this.#calls.address(new Uint8Array(this.memory.buffer))
      this.#map(this.#address, this.ringBytes, MAP_SHARED | MAP_FIXED, this.fd)
      // This mapping ends with the thread, but other threads may still read the shared bytes: map the same pages again.
      this.sharedAddress = this.#map(null, sharedBytes, MAP_SHARED | MAP_ANONYMOUS, -1)
      this.#mapAgain(this.sharedAddress, sharedBytes, this.#address + BigInt(this.ringBytes))
    } catch (error) {
      this.#calls.close(this.fd)
      throw error
    }
  }

  /** Begins to receive from all interfaces; the filter selects packets. */
  listen(filter: Uint8Array): void {
    this.filter(filter)
    const address = packetAddress(0)
    if (this.#calls.bind(this.fd, address, address.length) < 0) throw this.#failed('bind')
  }

  /** Replaces the filter atomically. */
  filter(program: Uint8Array): void {
    this.#options.filter(program)
  }

  /** Reading resets the kernel's counters. */
  counts(): KernelCounts {
    return this.#options.counts()
  }

  interfaceName(index: number): string | undefined {
    const request = new Uint8Array(IFREQ_SIZE)
    new DataView(request.buffer).setInt32(IFNAMSIZ, index, true)
    if (this.#calls.ioctl(this.fd, SIOCGIFNAME, request) < 0) return undefined
    return new TextDecoder().decode(request.subarray(0, request.subarray(0, IFNAMSIZ).indexOf(0)))
  }

  interfaceIndex(name: string): number | undefined {
    return interfaceIndex(this.#calls, this.fd, name)
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    // Map anonymous memory, so that no hole is left in the surrounding mapping.
    this.#map(this.#address, this.ringBytes, MAP_SHARED | MAP_FIXED | MAP_ANONYMOUS, -1)
    this.#calls.close(this.fd)
  }

  #map(at: bigint | null, length: number, flags: number, fd: number): bigint {
    const address = this.#calls.mmap(at, length, PROT_READ_WRITE, flags, fd, 0)
    if (BigInt.asUintN(64, address) === MAP_FAILED) throw this.#failed('mmap')
    return address
  }

  #mapAgain(from: bigint, length: number, to: bigint): void {
    // With length 0, mremap moves nothing and maps the pages a second time.
    const address = this.#calls.mremap(from, 0, length, MREMAP_MAYMOVE_FIXED, to)
    if (BigInt.asUintN(64, address) === MAP_FAILED) throw this.#failed('mremap')
  }

  #failed(call: string): SystemCallError {
    return new SystemCallError(call, this.#calls.errno())
  }
}

/** The address to bind to, for all protocols. `interfaceIndex`: 0 for all interfaces. */
export function packetAddress(interfaceIndex: number): Uint8Array {
  const address = new Uint8Array(ADDRESS_BYTES)
  const view = new DataView(address.buffer)
  view.setUint16(0, AF_PACKET, true)
  view.setUint16(2, ETH_P_ALL, false)
  view.setInt32(4, interfaceIndex, true)
  return address
}
