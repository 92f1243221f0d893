import { isSecretHeader, listsProtocols } from './credential-names.ts'
import { maskCookies, maskCredential, maskProtocols, maskSetCookie } from './header-values.ts'
import { maskAddresses } from './mask-addresses.ts'
import type { CredentialDetails } from './token-details.ts'
import type { ValueHash } from './value-hash.ts'

export interface MaskedLines {
  readonly text: string
  /** Of the first header field with a credential. */
  readonly details: CredentialDetails | undefined
}

interface MaskedField {
  readonly line: string
  readonly details: CredentialDetails | undefined
}

const FOLDED = /\r?\n[ \t]+/g
/** No name has a slash or a blank: a start line such as `GET /token:check HTTP/1.1` is no field. */
const FIELD = /^(:?[^:/\s]+)([ \t]*:[ \t]*)/
/** Characters of lines that are remembered, all together: the same client sends the same line again and again. */
const MAX_REMEMBERED = 1 << 20

/** Masks the credentials in lines of header fields, whose first line may be a start line. */
export class LineMask {
  readonly #hash: ValueHash
  readonly #known = new Map<string, MaskedField>()
  #remembered = 0

  constructor(hash: ValueHash) {
    this.#hash = hash
  }

  forget(): void {
    this.#known.clear()
    this.#remembered = 0
  }

  mask(text: string): MaskedLines {
    const lines = (/\n[ \t]/.test(text) ? text.replaceAll(FOLDED, ' ') : text).split('\n')
    let details: CredentialDetails | undefined
    for (const [at, line] of lines.entries()) {
      const field = this.#line(line)
      lines[at] = field.line
      details ??= field.details
    }
    return { text: lines.join('\n'), details }
  }

  #line(line: string): MaskedField {
    const known = this.#known.get(line)
    if (known !== undefined) return known
    const masked = this.#mask(line)
    if (masked.line === line) return masked
    if (this.#remembered + line.length > MAX_REMEMBERED) this.forget()
    this.#remembered += line.length
    this.#known.set(line, masked)
    return masked
  }

  #mask(line: string): MaskedField {
    const [begin = '', name] = FIELD.exec(line) ?? []
    const value = line.slice(begin.length).trimEnd()
    const end = line.slice(begin.length + value.length)
    if (name !== undefined && listsProtocols(name))
      return { line: begin + maskProtocols(value, this.#hash) + end, details: undefined }
    if (name === undefined || value === '' || !isSecretHeader(name))
      return { line: maskAddresses(line, this.#hash), details: undefined }
    const lower = name.toLowerCase()
    if (lower === 'cookie') return { line: begin + maskCookies(value, this.#hash) + end, details: undefined }
    if (lower === 'set-cookie')
      return { line: begin + maskSetCookie(value, this.#hash) + end, details: undefined }
    const { text, details } = maskCredential(value, this.#hash)
    return { line: begin + text + end, details }
  }
}
