import {
  type Call,
  type Dissector,
  type Exchange,
  type FieldValue,
  HeadPlace,
  type Message,
  protocolNamed,
  protocols,
  redraft,
} from '@tapdeck/dissect'
import { isSecretAt, mayHaveCredentials } from './head-scan.ts'
import { maskForm } from './mask-addresses.ts'
import { LineMask } from './mask-lines.ts'
import { maskPasswords, mayHavePassword } from './statement-passwords.ts'
import { ValueHash } from './value-hash.ts'

type Draft = ReturnType<typeof redraft>

const AMPERSAND = 0x26
const EQUALS = 0x3d
/** A form begins with a name and `=`; what has one of these before is none. */
const MAX_FORM_NAME = 128
const NO_FORM = new Set([...'?"<>{}()\\ \r\n\t'].map((character) => character.charCodeAt(0)))
/** Header fields of NATS are before the payload; the head says how long they are, and all of it. */
const NATS_FIELDS = Buffer.from('NATS/1.0')
const NATS_SIZES = /(\d+)([ \t]+)(\d+)(\s*)$/

/** Where protocols have credentials that their dissectors keep: in lines of header fields, or in statements. */
const kinds = new Map<string, 'lines' | 'nats' | 'statements'>()
for (const { name, redact } of Object.values<Dissector>(protocols))
  if (redact?.statements !== undefined) kinds.set(name, 'statements')
  else if (redact?.hasHeaderLines) kinds.set(name, name === 'nats' ? 'nats' : 'lines')

const place = new HeadPlace()

/**
 * Replaces the values of credentials by short hashes: in header fields, addresses, forms and statements. Passwords in
 * messages that log in are hidden by the dissectors, whatever is configured. Most calls have nothing of the kind, so
 * bytes are looked at before anything is made of them.
 */
export class CredentialMask {
  readonly #hash: ValueHash
  readonly #lines: LineMask

  constructor(key?: Uint8Array) {
    this.#hash = new ValueHash(key)
    this.#lines = new LineMask(this.#hash)
  }

  /** From now on; hashes by another key cannot be compared. */
  setKey(key: Uint8Array): void {
    this.#hash.setKey(key)
    this.#lines.forget()
  }

  /** The same call where it has none. */
  call(call: Call): Call {
    const kind = kinds.get(call.protocol)
    if (kind === undefined) return call
    const { request, response } = call
    if (kind === 'statements') {
      const masked = request && this.#statement(request)
      return masked === request ? call : summarized(call, masked, response)
    }
    const isNats = kind === 'nats'
    const asked = request && (isNats ? this.#nats(request) : this.#message(request, true))
    const answer = response && (isNats ? this.#nats(response) : this.#message(response, false))
    if (asked === request && answer === response) return call
    // The columns are those of the start line, without its parameters.
    if (!isNats && (asked === request || asked?.marks !== undefined))
      return { ...call, ...(asked && { request: asked }), ...(answer && { response: answer }) }
    return summarized(call, asked, answer)
  }

  #message(message: Message, isRequest: boolean): Message {
    let draft: Draft | undefined
    if (place.findHead(message) && mayHaveCredentials(place.bytes, place.start, place.end)) {
      const head = place.text()
      const { text, details } = this.#lines.mask(head)
      if (text !== head) {
        draft = redraft(message)
        draft.head = Buffer.from(text, 'latin1')
        const masked: { [name: string]: FieldValue } = { head_size: head.length }
        if (details) masked.credential = { ...details }
        draft.fields = { ...message.fields, masked }
        if (pathEnd(text) !== pathEnd(head) || !text.startsWith(head.slice(0, pathEnd(head))))
          draft.marks = undefined
      }
    }
    if (isRequest && place.findBody(message) && isSecretForm(place.bytes, place.start, place.end)) {
      const body = place.text()
      const text = maskForm(body, this.#hash)
      if (text !== body) {
        draft ??= redraft(message)
        draft.bodySize = message.bodySize ?? body.length
        draft.body = Buffer.from(text, 'latin1')
      }
    }
    const { fields } = message
    if (fields !== undefined) {
      const changed = this.#fields(fields)
      if (changed) {
        draft ??= redraft(message)
        draft.fields = { ...draft.fields, ...changed }
      }
    }
    return draft ?? message
  }

  /** Trailers, and the address that a connection was opened with. */
  #fields({ trailers, path }: NonNullable<Message['fields']>): Record<string, FieldValue> | undefined {
    const changed: Record<string, FieldValue> = {}
    if (typeof trailers === 'string') {
      const { text } = this.#lines.mask(trailers)
      if (text !== trailers) changed.trailers = text
    }
    if (typeof path === 'string') {
      const { text } = this.#lines.mask(path)
      if (text !== path) changed.path = text
    }
    return Object.keys(changed).length > 0 ? changed : undefined
  }

  #statement(message: Message): Message {
    if (!place.findHead(message) || !mayHavePassword(place.bytes, place.start, place.end)) return message
    const head = place.text()
    const text = maskPasswords(head, this.#hash)
    if (text === head) return message
    const draft = redraft(message)
    draft.head = Buffer.from(text, 'latin1')
    return draft
  }

  #nats(message: Message): Message {
    const { head, body, bodySize } = message
    if (head === undefined || body === undefined || !NATS_FIELDS.equals(body.subarray(0, NATS_FIELDS.length)))
      return message
    const whole = Buffer.from(body.buffer, body.byteOffset, body.length)
    const found = whole.indexOf('\r\n\r\n')
    const end = found < 0 ? whole.length : found
    if (!mayHaveCredentials(body, 0, end)) return message
    const before = whole.toString('latin1', 0, end)
    const { text } = this.#lines.mask(before)
    if (text === before) return message
    const grown = text.length - before.length
    const sizes = Buffer.from(head).toString('latin1')
    const draft = redraft(message)
    draft.head = Buffer.from(
      sizes.replace(
        NATS_SIZES,
        (_all: string, fields: string, blank: string, all: string, rest: string) =>
          `${Number(fields) + grown}${blank}${Number(all) + grown}${rest}`,
      ),
      'latin1',
    )
    draft.body = Buffer.concat([Buffer.from(text, 'latin1'), whole.subarray(end)])
    if (bodySize !== undefined) draft.bodySize = bodySize + grown
    return draft
  }
}

function summarized(call: Call, request: Message | undefined, response: Message | undefined): Call {
  const { protocol } = call
  const exchange: Exchange = { protocol, ...(request && { request }), ...(response && { response }) }
  const summary = protocolNamed(protocol)?.summarize(exchange) ?? {}
  return { ...call, ...(request && { request }), ...(response && { response }), summary }
}

/** Where the path of a start line ends. */
function pathEnd(head: string): number {
  return head.search(/[?#\r\n]|$/)
}

/** Whether a body is a form with a field of a secret name. */
function isSecretForm(bytes: Uint8Array, start: number, end: number): boolean {
  const stop = Math.min(end, start + MAX_FORM_NAME)
  let at = start
  while (at < stop && bytes[at] !== EQUALS) if (NO_FORM.has(bytes[at++]!)) return false
  if (at === stop || at === start) return false
  if (isSecretAt(bytes, start, end)) return true
  for (at = start; at < end; at++) if (bytes[at] === AMPERSAND && isSecretAt(bytes, at + 1, end)) return true
  return false
}
