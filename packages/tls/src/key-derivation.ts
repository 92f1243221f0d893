import { createHmac } from 'node:crypto'

export type HashName = 'sha256' | 'sha384'

/** HKDF-Expand-Label (RFC 8446 §7.1). */
export function expandLabel(
  hash: HashName,
  secret: Uint8Array,
  label: string,
  length: number,
  context: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const name = Buffer.from(`tls13 ${label}`, 'latin1')
  const head = Uint8Array.of(length >> 8, length & 0xff, name.length)
  const info = Buffer.concat([head, name, Uint8Array.of(context.length), context])
  return hkdfExpand(hash, secret, info, length)
}

/** The pseudo-random function of TLS 1.2 (RFC 5246 §5). */
export function prf(
  hash: HashName,
  secret: Uint8Array,
  label: string,
  seed: Uint8Array,
  length: number,
): Uint8Array {
  const labelAndSeed = Buffer.concat([Buffer.from(label, 'latin1'), seed])
  const blocks: Uint8Array[] = []
  let a: Uint8Array = labelAndSeed
  for (let made = 0; made < length; ) {
    a = hmac(hash, secret, a)
    const block = hmac(hash, secret, Buffer.concat([a, labelAndSeed]))
    blocks.push(block)
    made += block.length
  }
  return Buffer.concat(blocks).subarray(0, length)
}

function hkdfExpand(hash: HashName, secret: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  const blocks: Uint8Array[] = []
  let block: Uint8Array = new Uint8Array(0)
  for (let made = 0, counter = 1; made < length; counter++) {
    block = hmac(hash, secret, Buffer.concat([block, info, Uint8Array.of(counter)]))
    blocks.push(block)
    made += block.length
  }
  return Buffer.concat(blocks).subarray(0, length)
}

function hmac(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac(hash, key).update(data).digest()
}
