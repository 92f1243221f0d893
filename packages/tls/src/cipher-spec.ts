/** How a cipher suite protects records. */
export interface CipherSpec {
  /** The name that `node:crypto` uses. */
  readonly algorithm:
    | 'aes-128-gcm'
    | 'aes-256-gcm'
    | 'aes-128-ccm'
    | 'aes-256-ccm'
    | 'chacha20-poly1305'
    | CbcName
  readonly mode: 'gcm' | 'ccm' | 'chacha' | 'cbc'
  readonly keyLength: number
  readonly tagLength: number
  /** Hash of the key schedule: of HKDF in TLS 1.3, of the PRF in TLS 1.2. */
  readonly hash: 'sha256' | 'sha384'
  /** Hash of the record MAC; only CBC suites have one. */
  readonly mac?: 'sha1' | 'sha256' | 'sha384'
}

type CbcName = 'aes-128-cbc' | 'aes-256-cbc'

const SUITE =
  /^TLS_(?:\w+_WITH_)?(?:AES_(128|256)_(GCM|CCM_8|CCM|CBC)|(CHACHA20_POLY1305))(?:_(SHA|SHA256|SHA384))?$/

/** Reads what a suite does from its IANA name; undefined for suites that cannot be opened here. */
export function cipherSpec(suite: string): CipherSpec | undefined {
  const match = SUITE.exec(suite)
  if (match === null) return undefined
  const [, bits, mode, chacha, hashName] = match
  const hash = hashName === 'SHA384' ? 'sha384' : 'sha256'
  if (chacha !== undefined)
    return { algorithm: 'chacha20-poly1305', mode: 'chacha', keyLength: 32, tagLength: 16, hash }
  const size = bits === '256' ? 256 : 128
  const keyLength = size / 8
  if (mode === 'CBC') {
    const mac = hashName === 'SHA' ? 'sha1' : hash
    return { algorithm: `aes-${size}-cbc`, mode: 'cbc', keyLength, tagLength: 0, hash, mac }
  }
  if (mode === 'GCM') return { algorithm: `aes-${size}-gcm`, mode: 'gcm', keyLength, tagLength: 16, hash }
  const tagLength = mode === 'CCM_8' ? 8 : 16
  return { algorithm: `aes-${size}-ccm`, mode: 'ccm', keyLength, tagLength, hash }
}
