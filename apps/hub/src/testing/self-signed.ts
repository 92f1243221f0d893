import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { selfSignedPem } from '@tapdeck/tls/testing'

/** A self-signed certificate and its key, as files in a folder. */
export function selfSigned(folder: string, name: string): { readonly cert: string; readonly key: string } {
  const pem = selfSignedPem(name)
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)]
  writeFileSync(cert, pem.cert)
  writeFileSync(key, pem.key, { mode: 0o600 })
  return { cert, key }
}
