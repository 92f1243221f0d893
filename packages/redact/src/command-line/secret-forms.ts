import { detectors } from '../detectors.ts'
import type { Ranges } from '../ranges.ts'
import { MASK } from './mask.ts'
import { isSecretName } from './secret-name.ts'

/** Secrets that are known by their form alone. The group, where there is one, is the secret. */
const FORMS: readonly RegExp[] = [
  // Our own: API tokens and credentials of workers (packages/api/src/credentials.ts).
  /\btp[dw]_[\w.-]+/g,
  // RFC 7617.
  /\bbasic[ \t]+([A-Za-z\d+/_-]{6,}={0,2})/gi,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  // AWS, GitHub, GitLab, Slack, Stripe, OpenAI and Anthropic, npm, Google, Vault, SendGrid, age.
  /\b(?:AKIA|ASIA)[A-Z\d]{16}/g,
  /\b(?:gh[pousr]_|github_pat_)\w{16,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[a-z]-[\w-]{8,}/g,
  /\b[srp]k_(?:live|test)_\w{8,}/g,
  /\bsk-[\w-]{16,}/g,
  /\bnpm_\w{30,}/g,
  /\bAIza[\w-]{30,}/g,
  /\bhv[sbr]\.[\w-]{20,}/g,
  /\bSG\.[\w-]{16,}\.[\w-]{16,}/g,
  /\bAGE-SECRET-KEY-1\w+/g,
  /\b(?:dckr_pat_|dop_v1_|hf_|pypi-|gl[a-z]{2,6}-)[\w-]{16,}/g,
  // Addresses that are secrets themselves: webhooks of Slack and Discord, bots of Telegram.
  /hooks\.slack\.com\/services\/([^\s?#'"]+)/g,
  /discord(?:app)?\.com\/api\/webhooks\/([^\s?#'"]+)/g,
  /api\.telegram\.org\/bot([^\s/?#'"]+)/g,
  // CVS: :pserver:USER:VALUE@host. Oracle: jdbc:oracle:thin:USER/VALUE@host.
  /:pserver:[^:@\s]*:([^@\s]+)(?=@)/g,
  /:thin:[^/@\s]+\/([^@\s]+)(?=@)/g,
  // SQL: CREATE USER … IDENTIFIED BY 'VALUE', ALTER ROLE … PASSWORD 'VALUE'.
  /\b(?:identified\s+(?:with\s+\S+\s+)?(?:by|as)|password)\s*[=(]?\s*'((?:[^'\\]|\\[\s\S]|'')+)(?='|$)/gi,
  // A script gives it to the standard input: echo VALUE | docker login --password-stdin.
  /\b(?:echo|printf)\s+(?:-\w+\s+)*("[^"]*"|'[^']*'|[^\s|]+)(?=\s*\|[^|]*(?:password-stdin|\bsudo\s(?:-\w+\s+)*-\w*S\b|\bchpasswd\b|passwd\s+--stdin))/g,
  // OpenSSL: -passin pass:VALUE.
  /\bpass:(\S+)/g,
]
/** Something of each of the forms: most texts hold none, and are looked at once. */
const ANY_FORM =
  /tp[dw]_|(?:basic|bearer)[ \t]|eyJ|-----BEGIN|AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox|[srp]k_|sk-|npm_|AIza|hv[sbr]\.|SG\.|AGE-|pass:|dckr_|dop_v1_|hf_|pypi-|gl[a-z]{2,6}-|hooks\.slack|discord|telegram|:pserver:|:thin:|identified|password|\||chpasswd/i
/** The user part of a URL (RFC 3986, 3.2.1). A password may hold an at sign, or a slash after a user name. */
const USER_INFO = /:\/\/([^\s/?#'":@]+:(?!\d{1,5}\/)[^\s'"]*|[^\s/?#'"]*)@/g
/** An SSH user is a name and not a secret: `ssh://git@host`. */
const SSH = /ssh$/i
/** `user:password@host` without a scheme, as Go's MySQL driver takes it. `image:tag@sha256:` is no such thing. */
const LOGIN = /(?<![\w.:/-])[\w.-]+:([^\s@/'"]+)@(?!sha\d+:)(?=[\w([])/g
/** `name=`; the value follows. */
const ASSIGNMENT = /(?<![\w.-])[\w.-]+=/g
const IN_QUERY = /[^\s&#'"]*/y
const IN_WORD = /\\?"(?:[^"\\]|\\[^"])*\\?"?|'[^']*'?|[^\s'"]*?(?=;?(?:[\s'"]|$))/y
/** A key of JSON or of a map, its quotes escaped or not: `"password": `, `headers["x-token"] == `, `'token' => `. */
const QUOTED_KEY = /\\?["']([\w.-]{1,64})\\?["']\]?\s{0,8}(?::|=[=>]?)\s{0,8}/g
/** A key of a script, whose value is in quotes: `password: "`, `pass => '`. */
const PLAIN_KEY = /(?<![\w.-])([\w.-]{1,64})\s{0,8}(?::|=>)\s{0,8}(?=["'])/g
const QUOTED_VALUE = /\\"(?:(?!\\")[\s\S])*|"(?:[^"\\]|\\[\s\S])*|'[^']*|[^\s,}\]]*/y

/** Masks what is a secret by its form: tokens, keys, URLs with credentials, `password=…`, `"password": …`. */
export function maskForms(text: string): string {
  const ranges: Ranges = []
  if (ANY_FORM.test(text)) tokens(text, ranges)
  if (text.includes('@')) logins(text, ranges)
  if (text.includes('=')) assignments(text, ranges)
  if (/["']/.test(text))
    for (const key of [QUOTED_KEY, PLAIN_KEY])
      for (const { 0: all, 1: name, index } of text.matchAll(key))
        if (isSecretName(name!)) pushQuoted(text, index + all.length, ranges)
  return masked(text, ranges)
}

function tokens(text: string, into: Ranges): void {
  detectors.bearer(text, into)
  detectors.jwt(text, into)
  for (const form of FORMS)
    for (const { 0: all, 1: secret = all, index } of text.matchAll(form))
      into.push(index + all.length - secret.length, index + all.length)
}

function logins(text: string, into: Ranges): void {
  for (const { 1: user, index } of text.matchAll(USER_INFO)) {
    const start = index + 3
    if (user!.includes(':') || !SSH.test(text.slice(Math.max(0, index - 8), index)))
      into.push(start, start + user!.length)
  }
  for (const { 0: all, 1: secret, index } of text.matchAll(LOGIN))
    into.push(index + all.length - 1 - secret!.length, index + all.length - 1)
}

function assignments(text: string, into: Ranges): void {
  for (const { 0: all, index } of text.matchAll(ASSIGNMENT)) {
    if (!isSecretName(all.slice(0, -1))) continue
    const inQuery = /[?&]/.test(text[index - 1] ?? '')
    pushValue(inQuery ? IN_QUERY : IN_WORD, text, index + all.length, into)
  }
}

function pushValue(value: RegExp, text: string, start: number, into: Ranges): void {
  value.lastIndex = start
  const length = value.exec(text)?.[0].length ?? 0
  if (length > 0) into.push(start, start + length)
}

/** The value without its quotes. */
function pushQuoted(text: string, start: number, into: Ranges): void {
  QUOTED_VALUE.lastIndex = start
  const value = QUOTED_VALUE.exec(text)?.[0] ?? ''
  const quote = /^\\?["']/.exec(value)?.[0].length ?? 0
  if (value.length > quote) into.push(start + quote, start + value.length)
}

/** The text with each range, joined with those it overlaps, replaced by one mask. */
function masked(text: string, ranges: Ranges): string {
  if (ranges.length === 0) return text
  const sorted: [number, number][] = []
  for (let at = 0; at < ranges.length; at += 2) sorted.push([ranges[at]!, ranges[at + 1]!])
  sorted.sort((a, b) => a[0] - b[0])
  let result = ''
  let done = 0
  for (const [start, end] of sorted) {
    if (start >= done) result += text.slice(done, start) + MASK
    done = Math.max(done, end)
  }
  return result + text.slice(done)
}
