import { createHmac } from 'node:crypto'
import { cipherSpec, expandLabel, PacketOpener, QuicCipher } from '@tapdeck/tls'
import type { QuicVersion } from './version.ts'

/** RFC 9001 §5.2: all Initial packets have this cipher. */
const SUITE = 'TLS_AES_128_GCM_SHA256'

/**
 * Opens the Initial packets of one side (RFC 9001 §5.2). Their keys follow from a connection id in plain text: these packets are
 * guarded against damage, not against readers.
 */
export function initialOpener(
  version: QuicVersion,
  destination: Uint8Array,
  side: 'client' | 'server',
): PacketOpener {
  const spec = cipherSpec(SUITE)
  if (spec === undefined) throw new Error(`${SUITE} is not known`)
  const initial = createHmac(spec.hash, Buffer.from(version.salt, 'hex')).update(destination).digest()
  return new PacketOpener(
    new QuicCipher(spec, version.label, expandLabel(spec.hash, initial, `${side} in`, 32)),
  )
}
