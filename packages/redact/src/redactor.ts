import { type Call, type Exchange, type Message, protocolNamed } from '@tapdeck/dissect'
import { Regex, RegexError } from '@tapdeck/kfl'
import { type Detector, detectors } from './detectors.ts'
import { headerDetector, parameterDetector } from './head-ranges.ts'
import { parseJsonPath } from './json-path.ts'
import { jsonRanges } from './json-ranges.ts'
import { redactPresented } from './presented.ts'
import { maskBytes, maskText, type Ranges } from './ranges.ts'
import { type RedactionRules, RuleError } from './redaction-rules.ts'
import { sqlLiterals } from './sql-ranges.ts'
import { unpackBody } from './unpack-body.ts'

type Draft<T> = { -readonly [K in keyof T]: T[K] }

/** Protocols whose requests are statements in SQL or CQL, as text in `head`, with what was bound to them in `body`. */
const SQL = new Set(['postgresql', 'mysql', 'cassandra'])
/** Protocols whose heads are lines of header fields. */
const WITH_HEADERS = new Set(['http', 'grpc', 'graphql', 'websocket', 'smtp', 'nats'])

/**
 * Makes what the rules name unreadable: every byte of it becomes a star, so that lengths and framing stay. Made once;
 * whoever has no rules makes none and pays nothing.
 */
export class Redactor {
  readonly rules: RedactionRules
  readonly #anywhere: readonly Detector[]
  readonly #headers: Detector
  readonly #parameters: Detector
  readonly #json: ReturnType<typeof parseJsonPath>[]

  /** Throws `RuleError`. */
  constructor(rules: RedactionRules) {
    this.rules = rules
    this.#anywhere = [...rules.detect.map((name) => detectors[name]), ...rules.patterns.map(patternDetector)]
    this.#headers = headerDetector(rules.headers)
    this.#parameters = parameterDetector(rules.query)
    this.#json = rules.json.map(parseJsonPath)
  }

  /** The call as it may be kept and shown. Its common columns are read anew from what is left of it. */
  call(call: Call): Call {
    const { protocol } = call
    const request = call.request && this.#message(call.request, protocol)
    const response = call.response && this.#message(call.response, protocol)
    if (request === call.request && response === call.response) return call
    const exchange: Exchange = { protocol, ...(request && { request }), ...(response && { response }) }
    const summary = protocolNamed(protocol)?.summarize(exchange) ?? {}
    return { ...call, ...(request && { request }), ...(response && { response }), summary }
  }

  /** A text that stands alone, such as a path. */
  text(text: string, protocol?: string): string {
    const ranges: Ranges = []
    for (const detect of this.#anywhere) detect(text, ranges)
    this.#parameters(text, ranges)
    if (this.rules.sqlLiterals && protocol !== undefined && SQL.has(protocol))
      sqlLiterals(text, protocol === 'mysql', ranges)
    return maskText(text, ranges)
  }

  /** A body as text. */
  body(text: string): string {
    const ranges: Ranges = []
    for (const detect of this.#anywhere) detect(text, ranges)
    this.#parameters(text, ranges)
    if (this.#json.length > 0) jsonRanges(text, this.#json, ranges)
    return maskText(text, ranges)
  }

  /** A call in its full or compact shape as JSON. */
  presented(call: unknown): unknown {
    return redactPresented(call, this)
  }

  #message(given: Message, protocol: string): Message {
    const message = this.#needsPlainBody ? unpackBody(given) : given
    const { head, body, fields, key } = message
    const draft: Draft<Message> = { ...message }
    if (head !== undefined) draft.head = this.#head(head, protocol, message.kind)
    if (body !== undefined) {
      const bound = this.rules.sqlLiterals && SQL.has(protocol) && message.kind === 'request'
      if (this.rules.bodies || bound) dropBody(draft, body)
      else draft.body = this.#body(body)
    }
    if (fields !== undefined) draft.fields = this.#fields(fields) as NonNullable<Message['fields']>
    if (typeof key === 'string') draft.key = this.text(key)
    const same = draft.head === given.head && draft.body === given.body && draft.fields === given.fields
    return same && draft.key === given.key ? given : draft
  }

  get #needsPlainBody(): boolean {
    return this.#json.length + this.#anywhere.length + this.rules.query.length > 0
  }

  #head(head: Uint8Array, protocol: string, kind: Message['kind']): Uint8Array {
    const text = latin1(head)
    const ranges: Ranges = []
    for (const detect of this.#anywhere) detect(text, ranges)
    if (WITH_HEADERS.has(protocol)) {
      this.#headers(text, ranges)
      this.#parameters(text, ranges)
    }
    if (this.rules.sqlLiterals && kind === 'request' && SQL.has(protocol))
      sqlLiterals(text, protocol === 'mysql', ranges)
    return maskBytes(head, ranges)
  }

  #body(body: Uint8Array): Uint8Array {
    const text = latin1(body)
    const ranges: Ranges = []
    for (const detect of this.#anywhere) detect(text, ranges)
    this.#parameters(text, ranges)
    if (this.#json.length > 0 && /^\s*[[{]/.test(text)) jsonRanges(text, this.#json, ranges)
    return maskBytes(body, ranges)
  }

  /** What a protocol noted besides: texts are masked, a trailer's like a header's. The same object where nothing was. */
  #fields(value: unknown): unknown {
    if (typeof value === 'string') {
      const ranges: Ranges = []
      this.#headers(value, ranges)
      return this.text(maskText(value, ranges))
    }
    if (Array.isArray(value))
      return unchanged(
        value,
        value.map((one) => this.#fields(one)),
      )
    if (typeof value !== 'object' || value === null) return value
    const after = Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, this.#field(name, one)]),
    )
    return unchanged(value, after)
  }

  #field(name: string, value: unknown): unknown {
    const hidden =
      typeof value === 'string' && this.rules.headers.some((one) => one.toLowerCase() === name.toLowerCase())
    return hidden ? '*'.repeat(value.length) : this.#fields(value)
  }
}

function dropBody(draft: Draft<Message>, body: Uint8Array): void {
  delete draft.body
  draft.bodySize = draft.bodySize ?? body.length
}

function unchanged<T extends object>(before: T, after: T): T {
  const values = Object.values(after)
  return Object.values(before).every((value, at) => value === values[at]) ? before : after
}

function patternDetector(source: string): Detector {
  try {
    const regex = new Regex(source)
    return (text, into) => {
      for (const at of regex.spans(text)) into.push(at)
    }
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new RuleError(`"${source.slice(0, 80)}" is no pattern: ${error.message}`)
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
