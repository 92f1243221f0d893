import type { TlsSession } from '../../contract/call.ts'
import { readCertificate } from './certificate.ts'
import { certificatesOf } from './certificate-list.ts'
import { cipherSuiteName } from './cipher-suites.ts'
import type { ServerHello } from './server-hello.ts'
import { versionName } from './version.ts'

/** Names of a certificate that are repeated in each decrypted call. */
const MAX_NAMES = 16

/** What the calls inside of a connection say about it. */
export function describeSession(
  server: ServerHello,
  sni: string | undefined,
  keySource: string | undefined,
): TlsSession {
  const { version, cipherSuite, alpn, preShared } = server
  return {
    version: versionName(version),
    version_code: version,
    ...(cipherSuite !== undefined && {
      cipher_suite: cipherSuiteName(cipherSuite),
      cipher_suite_code: cipherSuite,
    }),
    ...(sni !== undefined && { sni }),
    ...(alpn !== undefined && { alpn }),
    ...(preShared && { resumed: true }),
    ...(keySource !== undefined && { key_source: keySource }),
  }
}

/** The session with the first of the server's certificates. `time`: of the handshake, microseconds. */
export function withCertificate(session: TlsSession, message: Uint8Array, time: number): TlsSession {
  const [first] = certificatesOf(message)
  const read = first === undefined ? undefined : readCertificate(first)
  if (read === undefined) return session
  const expired = read.not_after !== undefined && Date.parse(read.not_after) * 1000 < time
  return { ...session, certificate: { ...read, sans: read.sans.slice(0, MAX_NAMES), expired } }
}
