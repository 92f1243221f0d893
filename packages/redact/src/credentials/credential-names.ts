/** In the name of a header or a parameter, these mean that its value grants access. */
const SECRET_WORDS =
  /authorization|token|api-?key|access-?key|secret|passw|passphrase|credential|signature|cookie|session-?id|jwt|(?:^|-)(?:auth|auth-?key|shared-?key|subscription-?key|functions-?key|master-?key|private-?key|account-?key)$/
/** Names that have such a word and no secret: pages of a list, negotiation, and policies. */
const HARMLESS =
  /^:authority$|^access-control-|^sec-|continuation|(?:page|next|sync|resume|delta)-?token|token-?(?:type|count|limit|expir\w*|endpoint|budget)|tokens|^x-(?:ratelimit|amz-signedheaders)|cookie-?(?:policy|consent|enabled)|signature-?(?:input|agent|version|method|nonce)|credential-?(?:id|scope|type)|^x-amz-credential$|^x-goog-credential$|access-?key-?id|session-?id-?context/
/** Besides, in an address: `sig` of Azure, `key` of Google, the parameters of logins. */
const SECRET_PARAMETERS =
  /^(?:key|auth|sig|sign|pwd|pass|otp|hmac|assertion|client-?assertion|samlresponse|code-verifier|jsessionid|phpsessid|sid)$/

const ADDRESS = /location|referer|refresh|ur[il]|path|redirect|callback|destination|forwarded/i

const MAX_KNOWN = 4096
const headers = new Map<string, boolean>()
const parameters = new Map<string, boolean>()

/** Whether the value of a header field of this name is a credential. */
export function isSecretHeader(name: string): boolean {
  return verdict(headers, name, (known) => SECRET_WORDS.test(known))
}

/** Whether a header field of this name has an address. */
export function isAddressHeader(name: string): boolean {
  return ADDRESS.test(name)
}

/** The same for a parameter of an address or a form; the name as it is written. */
export function isSecretParameter(name: string): boolean {
  return verdict(parameters, name, (known) => SECRET_WORDS.test(known) || SECRET_PARAMETERS.test(known))
}

function verdict(known: Map<string, boolean>, name: string, decide: (name: string) => boolean): boolean {
  const found = known.get(name)
  if (found !== undefined) return found
  const plain = decoded(name).toLowerCase().replaceAll(/[_.]/g, '-').trim()
  const is = !HARMLESS.test(plain) && decide(plain)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(name, is)
  return is
}

/** `user%5Bpassword%5D` is `user[password]`. */
function decoded(name: string): string {
  if (!name.includes('%')) return name
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** No secret name is without one of these pairs of letters, in any case. Some other characters count as letters. */
const PAIRS = [
  'ok',
  'ey',
  'cr',
  'ss',
  'wd',
  'ut',
  'ig',
  'jw',
  'tp',
  'hm',
  'ml',
  'fi',
  'si',
  'oc',
  'ef',
  'ur',
  'th',
  'ir',
  'al',
  'es',
]
const PERCENT = 0x25
const SUSPECT_PAIRS = new Uint8Array(1024)
for (const [first = '', second = ''] of PAIRS)
  SUSPECT_PAIRS[((first.charCodeAt(0) & 31) << 5) | (second.charCodeAt(0) & 31)] = 1

/** Cheap: whether a name that has these bytes one after the other may be a secret one. */
export function isSuspectPair(first: number, second: number): boolean {
  return SUSPECT_PAIRS[((first & 31) << 5) | (second & 31)] === 1 || second === PERCENT
}
