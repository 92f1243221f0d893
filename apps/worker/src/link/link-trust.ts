import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { Config } from '@tapdeck/config'

/**
 * How a worker authenticates its hub. With `tap.tls.ca`: by that authority only. A worker on the hub's machine pins the
 * hub's certificate, so its names do not matter. Otherwise: by the authorities of the system.
 */
export function linkTrust({ hub, tap }: Pick<Config, 'hub' | 'tap'>): (() => ConnectionOptions) | undefined {
  const { ca, cert } = tap.tls
  if (hub.url === '' && cert !== '') return () => pinned(readFileSync(cert))
  return ca === '' ? undefined : () => ({ ca: authorities(ca) })
}

/** One or several certificates: while the hub replaces its authority, both are in the file. Throws if there is none yet. */
function authorities(file: string): Buffer {
  const pem = readFileSync(file)
  // Node.js would trust the authorities of the system instead of an empty list.
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
  throw new Error(`${file} has no certificate`)
}

function pinned(chain: Buffer): ConnectionOptions {
  const own = new X509Certificate(chain).fingerprint256
  return {
    ca: chain,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { fingerprint256 }) =>
      fingerprint256 === own
        ? undefined
        : new Error('The server certificate is not the configured certificate of the hub'),
  }
}
