import { isSecretParameter } from './credential-names.ts'
import type { ValueHash } from './value-hash.ts'

/** RFC 3986 allows a single quote in a query; a double quote, a blank and angle brackets end an address. */
const PARAMETER = /([?&;][ ]?)([^=&;?#\s"<>]{1,128})=([^&;#\s"<>]+)/g
const FIELD = /(^|&)([^=&\r\n]{1,128})=([^&\r\n]+)/g
const PASSWORD = /(:\/\/[^\s/?#"<>:@]{0,256}:)([^\s/?#"<>@]{1,256})@/g

/** Values of secret parameters, and passwords of users, in addresses wherever they are in a text. */
export function maskAddresses(text: string, hash: ValueHash): string {
  const masked = text.includes('=') ? text.replaceAll(PARAMETER, masking(hash)) : text
  return masked.includes('@')
    ? masked.replaceAll(PASSWORD, (_, before: string, password: string) => `${before}${hash.of(password)}@`)
    : masked
}

/** The same for a body that is a form. */
export function maskForm(text: string, hash: ValueHash): string {
  return text.replaceAll(FIELD, masking(hash))
}

function masking(hash: ValueHash) {
  return (all: string, before: string, name: string, value: string) =>
    isSecretParameter(name) ? `${before}${name}=${hash.of(value)}` : all
}
