import { isSecretParameter } from './credential-names.ts'
import type { ValueHash } from './value-hash.ts'

/** RFC 3986 allows a single quote in a query; a double quote, a blank and angle brackets end an address. */
const END = String.raw`&;#\s"<>`
const NAME = String.raw`([^=&;?#\s"<>]{1,128}`
/** A semicolon ends a value if what follows has a name; a value in quotes or brackets ends with them. */
const VALUE = String.raw`("[^"&\s]*"?|<[^>&\s]*>?|[^${END}]+(?:(?:;[^=${END}]*)+(?![^&#\s"<>]))?)`
const PARAMETER = new RegExp(`([?&#][ ]?)${NAME})=${VALUE}`, 'g')
/** RFC 3986 §3.3: parameters of a segment, before the query. */
const SEGMENT_PARAMETER = new RegExp(String.raw`(;[ ]?)${NAME})=("[^"&\s]*"?|[^?${END}]+)`, 'g')
/** In an address that is the value of a parameter, once or several times over. */
const ESCAPED = new RegExp(
  `(%(?:25){0,4}(?:3f|26|23))${NAME}?)(%(?:25){0,4}3d)((?:(?!%(?:25){0,4}(?:26|23))[^${END}])+)`,
  'gi',
)
const FIELD = /(^|&)([^=&\r\n]{1,128})=([^&\r\n]+)/g
/** The last `@` before the path ends the password, as in the URL standard. */
const PASSWORD = /(:\/\/[^\s/?#"<>:@]{0,256}:)([^\s/?#"<>]{1,256})@/g

/** Values of secret parameters, and passwords of users, in addresses wherever they are in a text. */
export function maskAddresses(text: string, hash: ValueHash): string {
  let masked = text
  if (text.includes('=')) {
    const one = (all: string, before: string, name: string, value: string) =>
      isSecretParameter(name) ? `${before}${name}=${inQuotes(value, hash)}` : all
    masked = text.replaceAll(PARAMETER, one).replaceAll(SEGMENT_PARAMETER, one)
  }
  if (/%(?:25)*3d/i.test(masked))
    masked = masked.replaceAll(
      ESCAPED,
      (all: string, before: string, name: string, equals: string, value: string) =>
        isSecretParameter(name)
          ? `${before}${name}${equals}${hash.of(unescaped(value, (equals.length + 1) / 2))}`
          : all,
    )
  return masked.includes('@')
    ? masked.replaceAll(
        PASSWORD,
        (_, before: string, password: string) => `${before}${hash.of(unescaped(password))}@`,
      )
    : masked
}

/** The same for a body that is a form, in which a plus is a blank. */
export function maskForm(text: string, hash: ValueHash): string {
  return text.replaceAll(FIELD, (all: string, before: string, name: string, value: string) =>
    isSecretParameter(name) ? `${before}${name}=${hash.of(unescaped(value.replaceAll('+', ' ')))}` : all,
  )
}

function inQuotes(value: string, hash: ValueHash): string {
  const [, open = '', plain = '', close = ''] = /^(["<]?)(.*?)([">]?)$/s.exec(value) ?? []
  return plain === '' ? value : open + hash.of(unescaped(plain)) + close
}

/** The bytes that were escaped, so that a value is the same as in a header field. Each round takes one layer of escapes off. */
function unescaped(value: string, rounds = 1): string {
  let text = value
  for (let round = 0; round < rounds && text.includes('%'); round++)
    text = text.replaceAll(/%([0-9a-f]{2})/gi, (_, byte: string) =>
      String.fromCharCode(Number.parseInt(byte, 16)),
    )
  return text
}
