import { expandLabel, type HashName } from '@tapdeck/tls'
import { looksRandom, type SecretSlots, type TrafficSecret } from './secret-slots.ts'

/** Each secret and hash has a slot of this size in the object of OpenSSL. */
const SLOT = 64
/** Slots from the handshake secret on, in the order of OpenSSL since 1.1.1 (`struct ssl_st`, later `ssl_connection_st`). */
const SLOTS = { handshake: 0, master: 1, finishedHash: 5, handshakeHash: 6, client: 7, server: 8 } as const
const HASHES: readonly (readonly [HashName, number])[] = [
  ['sha384', 48],
  ['sha256', 32],
]
const STEP = 4

/** Bytes from the handshake secret to the end of the last secret that is needed. */
const SECRETS_BYTES = 9 * SLOT

/**
 * The traffic secrets of TLS 1.3 in an object, if its slots begin at this offset. They are verified: the secrets of both sides must
 * be what the key schedule derives from the master secret (RFC 8446 §7.1). Undefined if they are not.
 */
function trafficSecretsAt(object: Buffer, offset: number): TrafficSecret[] | undefined {
  if (offset < 0 || offset + SECRETS_BYTES > object.length) return undefined
  for (const [hash, length] of HASHES) {
    const slot = (number: number) => object.subarray(offset + number * SLOT, offset + number * SLOT + length)
    const derive = (from: number, label: string, context: number) =>
      expandLabel(hash, slot(from), label, length, slot(context))
    const client = derive(SLOTS.master, 'c ap traffic', SLOTS.finishedHash)
    if (!slot(SLOTS.client).equals(client)) continue
    const server = derive(SLOTS.master, 's ap traffic', SLOTS.finishedHash)
    if (!slot(SLOTS.server).equals(server)) continue
    const ofHandshake = (label: string) => derive(SLOTS.handshake, label, SLOTS.handshakeHash)
    return [
      { label: 'CLIENT_HANDSHAKE_TRAFFIC_SECRET', secret: ofHandshake('c hs traffic') },
      { label: 'SERVER_HANDSHAKE_TRAFFIC_SECRET', secret: ofHandshake('s hs traffic') },
      { label: 'CLIENT_TRAFFIC_SECRET_0', secret: client },
      { label: 'SERVER_TRAFFIC_SECRET_0', secret: server },
    ]
  }
  return undefined
}

/** The offset at which the slots begin; undefined if there are none, for example in a connection with TLS 1.2. */
function findTrafficSecrets(object: Buffer): number | undefined {
  for (let offset = 0; offset + SECRETS_BYTES <= object.length; offset += STEP) {
    const isPossible = [SLOTS.master, SLOTS.finishedHash, SLOTS.client, SLOTS.server].every((slot) =>
      looksRandom(object, offset + slot * SLOT),
    )
    if (isPossible && trafficSecretsAt(object, offset) !== undefined) return offset
  }
  return undefined
}

/** The slots of OpenSSL. */
export const opensslSlots: SecretSlots = {
  bytes: SECRETS_BYTES,
  at: trafficSecretsAt,
  find: findTrafficSecrets,
}
