import { createCipheriv, createHmac } from 'node:crypto'
import { expandLabel } from '@tapdeck/tls'

export const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')

/** Keys of RFC 9001 §A.1, as printed there, for the connection id 8394c8f03e515708. */
export const CLIENT = {
  key: hex('1f369613dd76d5467730efcbe3b1a22d'),
  iv: hex('fa044b2f42a3fd3b46fb255c'),
  hp: hex('9f50449e04a0e810283a1e9933adedd2'),
}
export const SERVER = {
  key: hex('cf3a5331653c364c88f0f379b6067e37'),
  iv: hex('0ac1493ca1905853b0bba03e'),
  hp: hex('c206b8d9b9f0f37644430b490eeaa314'),
}

/** RFC 9001 §A.2: the CRYPTO frame with the client's hello. */
export const CLIENT_FRAME = hex(`
  060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e868
  04fe3a47f06a2b69484c00000413011302010000c000000010000e00000b6578
  616d706c652e636f6dff01000100000a00080006001d00170018001000070005
  04616c706e000500050100000000003300260024001d00209370b2c9caa47fba
  baf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b000302030400
  0d0010000e0403050306030203080408050806002d00020101001c0002400100
  3900320408ffffffffffffffff05048000ffff07048000ffff08011001048000
  75300901100f088394c8f03e51570806048000ffff`)

/** RFC 9001 §A.3: the server's Initial as it goes over the wire. */
export const SERVER_INITIAL = hex(`
  cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a
  5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3
  dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84
  022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4
  2158407dd074ee`)

/** RFC 9001 §A.4. */
export const RETRY = hex('ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba')

/** Seals a packet as RFC 9001 §5 has it; the header ends in a packet number of four bytes. */
export function seal({ key, iv, hp }: typeof CLIENT, header: Buffer, frames: Buffer, size: number): Buffer {
  const payload = Buffer.concat([frames, Buffer.alloc(size - frames.length)])
  const nonce = Buffer.from(iv)
  for (let i = 0; i < 4; i++) nonce[8 + i] ^= header[header.length - 4 + i]
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  cipher.setAAD(header)
  const sealed = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()])
  const mask = createCipheriv('aes-128-ecb', hp, null).update(sealed.subarray(0, 16))
  const masked = Buffer.from(header)
  masked[0] ^= mask[0] & 0x0f
  for (let i = 0; i < 4; i++) masked[header.length - 4 + i] ^= mask[1 + i]
  return Buffer.concat([masked, sealed])
}

export const clientHeader = (number: number) =>
  Buffer.concat([hex('c300000001088394c8f03e5157080000449e'), Buffer.of(0, 0, 0, number)])
export const clientInitial = seal(CLIENT, clientHeader(2), CLIENT_FRAME, 1162)

/** Version 2 (RFC 9369 §3.3): the keys of the client for the same connection id. */
export const CLIENT_2 = initialKeys('client in')
export const clientHeader2 = (number: number) =>
  Buffer.concat([hex('d36b3343cf088394c8f03e5157080000449e'), Buffer.of(0, 0, 0, number)])
/** RFC 9369 §A.2: how the client's Initial begins and ends on the wire. */
export const CLIENT_INITIAL_2 = {
  begins: hex('d76b3343cf088394c8f03e5157080000449ea0c95e82ffe67b6abcdb4298b485'),
  ends: hex('a18b2faa745b6fe189cf772a9f84cbfc'),
}
/** RFC 9369 §A.3: the server's Initial. */
export const SERVER_INITIAL_2 = hex(`
  dc6b3343cf0008f067a5502a4262b5004075d92faaf16f05d8a4398c47089698
  baeea26b91eb761d9b89237bbf87263017915358230035f7fd3945d88965cf17
  f9af6e16886c61bfc703106fbaf3cb4cfa52382dd16a393e42757507698075b2
  c984c707f0a0812d8cd5a6881eaf21ceda98f4bd23f6fe1a3e2c43edd9ce7ca8
  4bed8521e2e140`)

function initialKeys(side: string): typeof CLIENT {
  const salt = hex('0dede3def700a6db819381be6e269dcbf9bd2ed9')
  const initial = createHmac('sha256', salt).update(hex('8394c8f03e515708')).digest()
  const secret = expandLabel('sha256', initial, side, 32)
  const part = (name: string, length: number) =>
    Buffer.from(expandLabel('sha256', secret, `quicv2 ${name}`, length))
  return { key: part('key', 16), iv: part('iv', 12), hp: part('hp', 16) }
}
