import type { Certificate } from './certificate.ts'
import { cipherSuiteName } from './cipher-suites.ts'
import { isGrease } from './hello.ts'
import { TLS_1_2, versionName } from './version.ts'

/** What makes a suite weak, by its name. */
const WEAK: readonly (readonly [RegExp, string])[] = [
  [/_EXPORT/, 'EXPORT'],
  [/_WITH_NULL|_NULL_/, 'NULL'],
  [/_anon_/, 'anonymous'],
  [/RC4/, 'RC4'],
  [/RC2/, 'RC2'],
  [/3DES/, '3DES'],
  [/_DES_|DES40/, 'DES'],
]

export interface Configuration {
  readonly version?: number
  readonly suite?: number
  readonly offered: readonly number[]
  readonly certificate?: Certificate
  readonly expired: boolean
}

/** What users should correct: in what was chosen, in what is offered, and in the certificate. */
export function warnings({ version, suite, offered, certificate, expired }: Configuration): string[] {
  const found: string[] = []
  if (version !== undefined && version < TLS_1_2) found.push(`${versionName(version)} is obsolete`)
  const weakness = suite === undefined ? undefined : weaknessOf(suite)
  if (weakness !== undefined) found.push(`weak cipher suite chosen: ${weakness}`)
  const weak = new Set<string>()
  for (const code of offered) {
    const kind = isGrease(code) ? undefined : weaknessOf(code)
    if (kind !== undefined) weak.add(kind)
  }
  if (weak.size > 0) found.push(`weak cipher suites offered: ${[...weak].join(', ')}`)
  if (expired) found.push(`certificate expired at ${certificate?.not_after}`)
  if (certificate !== undefined && /MD5|SHA-1/.test(certificate.signature))
    found.push(`weak certificate signature: ${certificate.signature}`)
  if (certificate !== undefined && /^RSA (512|768|1024)$/.test(certificate.key))
    found.push(`weak certificate key: ${certificate.key}`)
  return found
}

function weaknessOf(code: number): string | undefined {
  const name = cipherSuiteName(code)
  return WEAK.find(([pattern]) => pattern.test(name))?.[1]
}
