import { streamFrame, varint } from '../../quic/testing/quic-session.ts'

const text = (value: string) => Buffer.from(value, 'latin1')
/** An HTTP/3 frame: RFC 9114 §7.1. */
export const frame = (type: number, payload: Uint8Array) =>
  Buffer.concat([varint(type), varint(payload.length), payload])
const headers = (...fields: readonly Uint8Array[]) =>
  frame(1, Buffer.concat([Uint8Array.of(0, 0), ...fields]))
/** A field with the name of a static entry: RFC 9204 §4.5.4. */
export const named = (index: number, value: string) =>
  Buffer.concat([
    index < 15 ? Uint8Array.of(0x50 | index) : Uint8Array.of(0x5f, index - 15),
    Uint8Array.of(value.length),
    text(value),
  ])
const literal = (name: string, value: string) =>
  Buffer.concat([Uint8Array.of(0x20 | name.length), text(name), Uint8Array.of(value.length), text(value)])
const [GET, HTTPS, OK] = [Uint8Array.of(0xc0 | 17), Uint8Array.of(0xc0 | 23), Uint8Array.of(0xc0 | 25)]

export const request = (path: string) => headers(GET, HTTPS, named(1, path), named(0, 'shop.test'))
export const response = (body: string) =>
  Buffer.concat([headers(OK, literal('x-a', 'b')), frame(0, text(body))])

/** SETTINGS with a dynamic table of 4096 bytes, as the control stream of that side. */
export const settings = (side: 0 | 1) =>
  streamFrame(side + 2, 0, Buffer.concat([Uint8Array.of(0), frame(4, Uint8Array.of(1, 0x50, 0x00))]))

/** Inserts `:authority` and `x-b` into the dynamic table, as the encoder stream of the client has it. */
export const INSERTIONS = Buffer.concat([
  Uint8Array.of(2, 0x3f, 0xe1, 0x1f, 0xc0, 9),
  text('shop.test'),
  Uint8Array.of(0x40 | 3),
  text('x-b'),
  Uint8Array.of(2),
  text('yz'),
])

/** A request that refers to both insertions: required insert count 2, base 2. */
export const dynamicRequest = (path: string) =>
  frame(1, Buffer.concat([Uint8Array.of(3, 0, 0xc0 | 17, 0xc0 | 23, 0x81, 0x80), named(1, path)]))
