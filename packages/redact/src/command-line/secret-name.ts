/** Secret wherever they occur in a name: `PGPASSWORD`, `authtoken`, `clientSecret`. */
const ANYWHERE =
  /passw(?:or)?d|passphrase|secret|token(?!i[sz])|credential|api-?key|access-?key|private-?key|pwd|authorization|passcode|mnemonic|connection-?string/i
/** Secret as a whole word of a name: `--key`, `ENCRYPTION_KEY_2`. */
const WORDS = new Set(['key', 'keys', 'jwt', 'psk', 'otp', 'totp', 'creds', 'cred', 'cookie', 'cookies'])
/** Secret as the last word only: `--auth` takes a credential, `tap.auth.enabled` does not. */
const LAST = new Set([
  'auth',
  'bearer',
  'pass',
  'passin',
  'passout',
  'pw',
  'pin',
  'sig',
  'signature',
  'sas',
  'hmac',
])
/** Words that end so, as in `-storepass` and `-upw`. */
const ENDS = /(?:(?<!by|com|tres|sur|over|under)pass|.pw|masterauth)$/
/** Names that end so describe a secret and do not hold it: `--token-file`, `--key-type`, `--password-stdin`. */
const DESCRIBES = new Set([
  ...['file', 'path', 'dir', 'folder', 'store', 'fd', 'stdin', 'type', 'size', 'length', 'bits', 'format'],
  ...['algorithm', 'name', 'ttl', 'expiry', 'enabled', 'hash', 'helper'],
])

/** Whether the value of an option, variable, header or JSON key of this name is a secret. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '')
  const last = words.at(-1) ?? ''
  if (DESCRIBES.has(last) || words[0] === 'no') return false
  return (
    ANYWHERE.test(name) ||
    LAST.has(last) ||
    ENDS.test(last) ||
    words.some((word) => WORDS.has(word) || /.(?<!mon|tur|don|hot)key$/.test(word))
  )
}
