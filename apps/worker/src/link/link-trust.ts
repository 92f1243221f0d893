import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { Config } from '@tapdeck/config'

/**
 * By what a worker knows its hub. With `tap.tls.ca` by that authority and no other. The worker beside a hub knows its
 * certificate itself: whatever names stand in it, nobody else has its key. Otherwise by the authorities of the system.
 */
export function linkTrust({ hub, tap }: Pick<Config, 'hub' | 'tap'>): (() => ConnectionOptions) | undefined {
  const { ca, cert } = tap.tls
  if (hub.url === '' && cert !== '') return () => pinned(readFileSync(cert))
  return ca === '' ? undefined : () => ({ ca: readFileSync(ca) })
}

function pinned(chain: Buffer): ConnectionOptions {
  const own = new X509Certificate(chain).fingerprint256
  return {
    ca: chain,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { fingerprint256 }) =>
      fingerprint256 === own ? undefined : new Error('this is not the certificate of the hub'),
  }
}
