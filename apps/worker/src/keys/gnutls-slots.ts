import type { KeyLabel } from '@tapdeck/tls'
import { looksRandom, type SecretSlots, type TrafficSecret } from './secret-slots.ts'

/**
 * GnuTLS, since its first version with TLS 1.3 (`gnutls_key_st`): the size of secrets as an integer, then a slot for each
 * traffic secret: early, handshake of client and server, application of client and server.
 */
const SLOT = 64
const SLOTS_AT = 4
const [EARLY, LAST] = [0, 4]
const LABELS: readonly (readonly [number, KeyLabel])[] = [
  [1, 'CLIENT_HANDSHAKE_TRAFFIC_SECRET'],
  [2, 'SERVER_HANDSHAKE_TRAFFIC_SECRET'],
  [3, 'CLIENT_TRAFFIC_SECRET_0'],
  [4, 'SERVER_TRAFFIC_SECRET_0'],
]
/** Sizes of the hashes of TLS 1.3. */
const SIZES: readonly number[] = [32, 48]
const STEP = 4
const NEEDED = SLOTS_AT + (LAST + 1) * SLOT

/**
 * The transcript hash is not in the object, so the key schedule cannot be computed again. Instead the whole shape must be right: the
 * size, four secrets of exactly that size that look random and differ, and nothing but zeros behind each.
 */
export const gnutlsSlots: SecretSlots = {
  bytes: 384,
  at(object, offset) {
    if (offset < 0 || offset + NEEDED > object.length) return undefined
    const size = object.readUInt32LE(offset)
    if (!SIZES.includes(size)) return undefined
    const slotAt = (number: number) => offset + SLOTS_AT + number * SLOT
    const secrets: TrafficSecret[] = []
    const seen = new Set<string>()
    for (const [number, label] of LABELS) {
      if (!isSecret(object, slotAt(number), size)) return undefined
      const secret = object.subarray(slotAt(number), slotAt(number) + size)
      seen.add(secret.toString('latin1'))
      secrets.push({ label, secret })
    }
    if (seen.size !== LABELS.length) return undefined
    const early = object.subarray(slotAt(EARLY), slotAt(EARLY) + SLOT)
    if (early.every((byte) => byte === 0)) return secrets
    if (!isSecret(early, 0, size)) return undefined
    return [...secrets, { label: 'CLIENT_EARLY_TRAFFIC_SECRET', secret: early.subarray(0, size) }]
  },
  find(object) {
    for (let offset = 0; offset + NEEDED <= object.length; offset += STEP)
      if (gnutlsSlots.at(object, offset) !== undefined) return offset
    return undefined
  },
}

function isSecret(object: Buffer, at: number, size: number): boolean {
  return looksRandom(object, at) && object.subarray(at + size, at + SLOT).every((byte) => byte === 0)
}
