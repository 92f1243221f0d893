import { createCipheriv } from 'node:crypto'
import { expandLabel } from '@tapdeck/tls'
import type { Side } from '@tapdeck/wire'
import { udpFrame } from '@tapdeck/wire/testing'
import {
  CLIENT,
  CLIENT_2,
  CLIENT_FRAME,
  clientHeader,
  clientHeader2,
  hex,
  SERVER_INITIAL,
  SERVER_INITIAL_2,
  seal,
} from './published-packets.ts'

/** Random of the published client hello: RFC 9001 §A.2. */
const CLIENT_RANDOM = 'ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c'
/** The connection id that the published server chose; the client's is empty. */
const SERVER_ID = hex('f067a5502a4262b5')
const SECRETS = [Buffer.alloc(32, 7), Buffer.alloc(32, 9)] as const
const [NUMBER_LENGTH, PADDING, TAG_LENGTH] = [4, 4, 16]
const EARLY_SECRET = Buffer.alloc(32, 11)
/** What differs between the versions: RFC 9369 §3. */
const VERSIONS = {
  1: { label: 'quic', early: 'd300000001088394c8f03e51570800' },
  2: { label: 'quicv2', early: 'e36b3343cf088394c8f03e51570800' },
} as const

/** The published handshake of RFC 9001 or RFC 9369, with a client that asks for HTTP/3, and packets of its own after it. */
export class QuicSession {
  readonly keyLog = `CLIENT_TRAFFIC_SECRET_0 ${CLIENT_RANDOM} ${SECRETS[0].toString('hex')}
SERVER_TRAFFIC_SECRET_0 ${CLIENT_RANDOM} ${SECRETS[1].toString('hex')}
CLIENT_EARLY_TRAFFIC_SECRET ${CLIENT_RANDOM} ${EARLY_SECRET.toString('hex')}
`
  readonly packets: { data: Uint8Array; time: number }[] = []
  readonly #numbers: [number, number] = [0, 0]
  readonly #updates: [number, number] = [0, 0]
  readonly #version: 1 | 2
  #time = 1_700_000_000_000_000

  /** `early`: frames that the client sends before the server has answered, each in a packet of its own. */
  constructor(version: 1 | 2 = 1, ...early: readonly Uint8Array[]) {
    this.#version = version
    const hello = Buffer.from(CLIENT_FRAME)
    hello.write('h3-x', hello.indexOf('alpn'), 'latin1')
    this.datagram(
      0,
      version === 1
        ? seal(CLIENT, clientHeader(2), hello, 1162)
        : seal(CLIENT_2, clientHeader2(2), hello, 1162),
    )
    for (const frames of early) this.datagram(0, this.#sealEarly(frames))
    this.datagram(1, version === 1 ? SERVER_INITIAL : SERVER_INITIAL_2)
  }

  /** Sends these frames in a packet of its own. */
  send(side: Side, ...frames: readonly Uint8Array[]): this {
    return this.datagram(side, this.seal(side, ...frames))
  }

  datagram(side: Side, payload: Uint8Array): this {
    const ends = [
      { ip: '10.0.0.1', port: 50000 },
      { ip: '10.0.0.2', port: 443 },
    ] as const
    const [from, to] = side === 0 ? ends : [ends[1], ends[0]]
    const data = udpFrame({ src: from.ip, dst: to.ip, sport: from.port, dport: to.port, payload })
    this.#time += 1000
    this.packets.push({ data, time: this.#time })
    return this
  }

  /** A packet with a short header: RFC 9001 §5. */
  seal(side: Side, ...frames: readonly Uint8Array[]): Buffer {
    const first = 0x43 | (this.#updates[side] % 2 === 1 ? 0x04 : 0)
    const head = Buffer.concat([Uint8Array.of(first), side === 0 ? SERVER_ID : new Uint8Array(0)])
    return this.#seal(SECRETS[side], this.#updates[side], head, this.#numbers[side]++, frames)
  }

  /** A packet with early data has a long header: RFC 9000 §17.2.3. */
  #sealEarly(...frames: readonly Uint8Array[]): Buffer {
    const length = frames.reduce((sum, { length }) => sum + length, 0) + NUMBER_LENGTH + PADDING + TAG_LENGTH
    const head = Buffer.concat([hex(VERSIONS[this.#version].early), varint(length)])
    return this.#seal(EARLY_SECRET, 0, head, this.#numbers[0]++, frames)
  }

  #seal(
    first: Uint8Array,
    updates: number,
    head: Uint8Array,
    packetNumber: number,
    frames: readonly Uint8Array[],
  ): Buffer {
    const { label } = VERSIONS[this.#version]
    const headerKey = expandLabel('sha256', first, `${label} hp`, 16)
    let secret = first
    for (let update = 0; update < updates; update++) secret = expandLabel('sha256', secret, `${label} ku`, 32)
    const number = Buffer.alloc(NUMBER_LENGTH)
    number.writeUInt32BE(packetNumber)
    const header = Buffer.concat([head, number])
    const nonce = Buffer.from(expandLabel('sha256', secret, `${label} iv`, 12))
    for (let i = 0; i < NUMBER_LENGTH; i++) nonce[8 + i] ^= number[i]
    const cipher = createCipheriv('aes-128-gcm', expandLabel('sha256', secret, `${label} key`, 16), nonce)
    cipher.setAAD(header)
    const payload = Buffer.concat([...frames, new Uint8Array(PADDING)])
    const sealed = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()])
    const mask = createCipheriv('aes-128-ecb', headerKey, null).update(sealed.subarray(0, 16))
    header[0] ^= mask[0] & (header[0] >= 0x80 ? 0x0f : 0x1f)
    for (let i = 0; i < NUMBER_LENGTH; i++) header[header.length - NUMBER_LENGTH + i] ^= mask[1 + i]
    return Buffer.concat([header, sealed])
  }

  /** The following packets of that side are under the next key. */
  updateKey(side: Side): this {
    this.#updates[side]++
    return this
  }
}

/** A STREAM frame with an offset and a length: RFC 9000 §19.8. */
export function streamFrame(id: number, offset: number, bytes: Uint8Array, isLast = false): Uint8Array {
  return Buffer.concat([
    Uint8Array.of(0x0e | (isLast ? 1 : 0)),
    varint(id),
    varint(offset),
    varint(bytes.length),
    bytes,
  ])
}

/** A number of four bytes: RFC 9000 §16. */
export function varint(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value + 0x8000_0000)
  return bytes
}
