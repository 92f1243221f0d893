import type { CaptureFile } from './capture-file.ts'
import { address, frame, TRANSPORT } from './frame.ts'

/** With the timestamp option, as Linux sends. */
const HEADER = 32
const SYN_HEADER = 40
const SEGMENT = 1448
const FIN = 1
const SYN = 2
const PSH = 8
const ACK = 16

/** One TCP connection, written as its ends speak. */
export class TcpTalk {
  readonly #file: CaptureFile
  readonly #ips: readonly [number, number]
  readonly #ports: readonly [number, number]
  readonly #next: [number, number]

  constructor(file: CaptureFile, client: number, clientPort: number, server: number, serverPort: number) {
    this.#file = file
    this.#ips = [client, server]
    this.#ports = [clientPort, serverPort]
    this.#next = [(client * 7919 + clientPort * 104_729) >>> 0, (client * 31 + clientPort * 15_485_863) >>> 0]
    this.#segment(0, SYN)
    this.#segment(1, SYN | ACK)
    this.#segment(0, ACK)
  }

  /** A side says something; the next it hears from the other acknowledges it. */
  say(side: 0 | 1, text: Buffer): void {
    for (let at = 0; at < text.length; at += SEGMENT) {
      const part = text.subarray(at, at + SEGMENT)
      this.#segment(side, at + SEGMENT < text.length ? ACK : ACK | PSH, part)
      // Every second full segment is acknowledged at once (RFC 5681).
      if (at > 0 && (at / SEGMENT) % 2 === 1) this.#segment(side === 0 ? 1 : 0, ACK)
    }
  }

  ask(request: Buffer, response: Buffer): void {
    this.say(0, request)
    this.say(1, response)
    this.#segment(0, ACK)
  }

  close(): void {
    this.#segment(0, FIN | ACK)
    this.#segment(1, FIN | ACK)
    this.#segment(0, ACK)
  }

  #segment(side: 0 | 1, flags: number, payload?: Buffer): void {
    const other = side === 0 ? 1 : 0
    const header = flags & SYN ? SYN_HEADER : HEADER
    const size = payload?.length ?? 0
    const length = address(
      6,
      this.#ips[side],
      this.#ports[side],
      this.#ips[other],
      this.#ports[other],
      header + size,
    )
    const at = TRANSPORT
    frame.writeUInt32BE(this.#next[side], at + 4)
    frame.writeUInt32BE(flags & ACK ? this.#next[other] : 0, at + 8)
    frame[at + 12] = header << 2
    frame[at + 13] = flags
    frame.writeUInt16BE(flags & SYN ? 64_240 : 502, at + 14)
    frame.writeUInt32BE(0, at + 16)
    const tick = Math.floor(this.#file.time / 1000) >>> 0
    if (flags & SYN) {
      frame.set([2, 4, 5, 0xb4, 4, 2, 8, 10], at + 20)
      frame.writeUInt32BE(tick, at + 28)
      frame.writeUInt32BE(flags & ACK ? tick : 0, at + 32)
      frame.set([1, 3, 3, 7], at + 36)
    } else {
      frame.set([1, 1, 8, 10], at + 20)
      frame.writeUInt32BE(tick, at + 24)
      frame.writeUInt32BE(tick, at + 28)
    }
    payload?.copy(frame, at + header)
    this.#next[side] = (this.#next[side] + size + (flags & (SYN | FIN) ? 1 : 0)) >>> 0
    this.#file.packet(frame, length)
  }
}
