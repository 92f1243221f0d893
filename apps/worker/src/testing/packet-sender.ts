import koffi from 'koffi'

const AF_PACKET = 17
const SOCK_RAW = 3
const SOL_PACKET = 263
const PACKET_QDISC_BYPASS = 20
const SOL_SOCKET = 1
const SO_SNDBUFFORCE = 32
/** struct msghdr behind struct mmsghdr's length, and struct iovec, on 64-bit Linux. */
const MESSAGE_BYTES = 64
const IOVEC_BYTES = 16
const BATCH = 32
/** The sender sleeps when it is further ahead than this; the kernel sleeps for at least about 50 µs. */
const AHEAD_MS = 0.2

/** Result of a burst: the frames that the kernel accepted. */
export interface Burst {
  readonly sent: number
  readonly seconds: number
}

/** Sends frames of one size and many connections on an interface, with a raw socket and `sendmmsg`. */
export class PacketSender {
  readonly #size: number
  readonly #fd: number
  readonly #headers = new Uint8Array(BATCH * MESSAGE_BYTES)
  readonly #iovecs = new Uint8Array(BATCH * IOVEC_BYTES)
  readonly #address = new Uint8Array(20)
  readonly #frames: readonly Uint8Array[]
  readonly #send: (fd: number, messages: Uint8Array, count: number, flags: number) => number

  constructor(interfaceIndex: number, size: number) {
    const library = koffi.load(null)
    const option = library.func('int setsockopt(int, int, int, const uint8_t *, uint32_t)')
    this.#send = library.func('int sendmmsg(int, _Inout_ uint8_t *, uint32_t, int)')
    this.#size = size
    this.#frames = Array.from({ length: BATCH }, (_, at) => tcpFrame(size, 40_000 + at))
    this.#fd = library.func('int socket(int, int, int)')(AF_PACKET, SOCK_RAW, 0)
    if (this.#fd < 0) throw new Error('no raw socket')
    const one = new Uint8Array(Int32Array.of(1).buffer)
    const sendBuffer = new Uint8Array(Int32Array.of(64 << 20).buffer)
    option(this.#fd, SOL_PACKET, PACKET_QDISC_BYPASS, one, one.length)
    option(this.#fd, SOL_SOCKET, SO_SNDBUFFORCE, sendBuffer, sendBuffer.length)
    const address = new DataView(this.#address.buffer)
    address.setUint16(0, AF_PACKET, true)
    address.setInt32(4, interfaceIndex, true)
    const headers = new DataView(this.#headers.buffer)
    const iovecs = new DataView(this.#iovecs.buffer)
    for (let i = 0; i < BATCH; i++) {
      iovecs.setBigUint64(i * IOVEC_BYTES, koffi.address(this.#frames[i]!), true)
      iovecs.setBigUint64(i * IOVEC_BYTES + 8, BigInt(size), true)
      headers.setBigUint64(i * MESSAGE_BYTES, koffi.address(this.#address), true)
      headers.setUint32(i * MESSAGE_BYTES + 8, this.#address.length, true)
      headers.setBigUint64(
        i * MESSAGE_BYTES + 16,
        koffi.address(this.#iovecs) + BigInt(i * IOVEC_BYTES),
        true,
      )
      headers.setBigUint64(i * MESSAGE_BYTES + 24, 1n, true)
    }
  }

  /** Sends at most `frames` frames in at most `seconds` seconds; `rate` in frames per second, 0: unlimited. */
  burst(frames: number, seconds: number, rate: number): Burst {
    const pause = new Int32Array(new SharedArrayBuffer(4))
    const began = performance.now()
    let sent = 0
    while (sent < frames && performance.now() - began < seconds * 1000) {
      const done = this.#send(this.#fd, this.#headers, Math.min(BATCH, frames - sent), 0)
      if (done < 0) throw new Error(`sendmmsg of ${this.#size} bytes: errno ${koffi.errno()}`)
      sent += done
      if (rate === 0) continue
      const ahead = (sent / rate) * 1000 - (performance.now() - began)
      if (ahead > AHEAD_MS) Atomics.wait(pause, 0, 0, ahead)
    }
    return { sent, seconds: (performance.now() - began) / 1000 }
  }
}

/** A TCP segment over IPv4 to an unused address. */
function tcpFrame(size: number, port: number): Uint8Array {
  const frame = new Uint8Array(size).fill(0x5a)
  const view = new DataView(frame.buffer)
  frame.set([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0])
  view.setUint16(16, size - 14)
  view.setUint32(18, 0x4000)
  frame.set([64, 6, 0, 0, 10, 9, 0, 1, 10, 9, 0, 2], 22)
  view.setUint16(34, port)
  view.setUint16(36, 8080)
  view.setUint16(46, 0x5010)
  return frame
}
