/** In the name of a header or a parameter, these mean that its value grants access. */
const SECRET_WORDS =
  /authorization|token|api-?key|access-?key|secret|passw|passphrase|credential|signature|cookie|sess(?:ion)?-?(?:id|key)|jwt|(?:^|-)(?:auth|authentication|pass|pwd|pw|otp|sig|hmac|session|sid|(?:auth|shared|subscription|functions|master|private|account|app|application|license|encryption|encryption-customer|signing|write|admin|deploy)-?key)$/
/** Names that have such a word and no secret: pages of a list, negotiation, and policies. */
const HARMLESS =
  /^:authority$|^access-control-|^sec-|continuation|(?:page|next|sync|resume|delta)-?token|token-?(?:type|count|limit|expir\w*|endpoint|budget)|tokens|^x-(?:ratelimit|amz-signedheaders)|cookie-?(?:policy|consent|enabled)|signature-?(?:input|agent|version|method|nonce)|credential-?(?:id|scope|type)|^x-amz-credential$|^x-goog-credential$|access-?key-?id|session-?id-?context/
/** Besides, in an address: `key` of Google, the parameters of logins, `hdnts` of Akamai. */
const SECRET_PARAMETERS =
  /^(?:key|sign|assertion|client-?assertion|samlresponse|code-verifier|jsessionid|phpsessid|hdnts|hdnea)$/
/** What Kubernetes and its clients log in with where a browser cannot set `Authorization`. */
const PROTOCOLS = 'sec-websocket-protocol'
/** Where an address may have a fragment, with the token of an implicit login: RFC 6749 §4.2.2. */
const FRAGMENTS = /location|refresh/i

const MAX_KNOWN = 4096
const headers = new Map<string, boolean>()
const parameters = new Map<string, boolean>()

/** Whether the value of a header field of this name is a credential. */
export function isSecretHeader(name: string): boolean {
  return verdict(headers, name, (known) => SECRET_WORDS.test(known))
}

/** Whether a header field of this name lists subprotocols, of which one may be a credential. */
export function listsProtocols(name: string): boolean {
  return name.length === PROTOCOLS.length && name.toLowerCase() === PROTOCOLS
}

/** Whether a header field of this name may have an address with a fragment. */
export function mayHaveFragment(name: string): boolean {
  return FRAGMENTS.test(name)
}

/** The same for a parameter of an address or a form; the name as it is written. */
export function isSecretParameter(name: string): boolean {
  return verdict(parameters, name, (known) => SECRET_WORDS.test(known) || SECRET_PARAMETERS.test(known))
}

function verdict(known: Map<string, boolean>, name: string, decide: (name: string) => boolean): boolean {
  const found = known.get(name)
  if (found !== undefined) return found
  // The name in `user[pass]` is `pass` as much as `user-pass`.
  const plain = decoded(name)
    .toLowerCase()
    .replaceAll(/[\]\s]+/g, '')
    .replaceAll(/[_.[]/g, '-')
    .replace(/-+$/, '')
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
  'hd',
  'pw',
]
const PERCENT = 0x25
const SUSPECT_PAIRS = new Uint8Array(1024)
for (const [first = '', second = ''] of PAIRS)
  SUSPECT_PAIRS[((first.charCodeAt(0) & 31) << 5) | (second.charCodeAt(0) & 31)] = 1

/** Cheap: whether a name that has these bytes one after the other may be a secret one. */
export function isSuspectPair(first: number, second: number): boolean {
  return SUSPECT_PAIRS[((first & 31) << 5) | (second & 31)] === 1 || second === PERCENT
}
