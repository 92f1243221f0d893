import {
  type Call,
  type Dissector,
  type Exchange,
  type Message,
  protocolNamed,
  protocols,
  redraft,
} from '@tapdeck/dissect'
import { Regex, RegexError } from '@tapdeck/kfl'
import { CredentialMask } from './credentials/credential-mask.ts'
import { type Detector, detectors } from './detectors.ts'
import { formDetector, isForm } from './form-ranges.ts'
import { argumentDetector, headerDetector, parameterDetector } from './head-ranges.ts'
import { leadsTo, parseJsonPath } from './json-path.ts'
import { jsonRanges } from './json-ranges.ts'
import { throughEscapes, throughUtf8 } from './plain-view.ts'
import { redactPresented } from './presented.ts'
import { maskBytes, maskText, type Ranges } from './ranges.ts'
import { hasRules, type RedactionRules, RuleError } from './redaction-rules.ts'
import { sqlLiterals } from './sql-ranges.ts'
import { unpackBody } from './unpack-body.ts'

/** A pattern that asks for more than single bytes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but ASCII
const BEYOND_ASCII = /[^\u0000-\u007f]|\\x\{/
const SQL_VERB = /^\s*(?:select|insert|update|delete|replace|with|create|alter|grant|set)\s/i
/** JSON, after a byte order mark or not; also as the data of an event stream. */
const JSON_START = /^(?:\u00ef\u00bb\u00bf)?\s*[[{]|^(?:[a-z]*:[^\n]*\n)*data:[ \t]*[[{]/

type Draft<T> = { -readonly [K in keyof T]: T[K] }

const dissectors: readonly Dissector[] = Object.values(protocols)

/**
 * Makes what the rules name unreadable: every byte of it becomes a star, so that lengths and framing stay. Before that,
 * credentials become short hashes. Made once; where nothing is to be done there is no redactor and no cost.
 */
export class Redactor {
  readonly rules: RedactionRules
  /** What is looked for wherever it stands: in a text, in bytes, and in bytes in which a percent sign escapes others. */
  readonly #inText: Detector
  readonly #inBytes: Detector
  readonly #inAddress: Detector
  readonly #headers: Detector
  readonly #namedAnywhere: Detector
  readonly #parameters: Detector
  readonly #forms: Detector
  readonly #json: ReturnType<typeof parseJsonPath>[]
  readonly #hasRules: boolean
  readonly #credentials: CredentialMask | undefined

  /** `maxSteps`: work of a pattern on one text after which `RuleError` is thrown instead of an answer. Throws `RuleError`. */
  constructor(rules: RedactionRules, maxSteps?: number) {
    this.rules = rules
    this.#hasRules = hasRules(rules)
    this.#credentials = rules.credentials === 'mask' ? new CredentialMask() : undefined
    const found = rules.detect.map((name) => detectors[name])
    const patterns = rules.patterns.map((source) => patternDetector(source, maxSteps))
    const wide = rules.patterns.some((pattern) => BEYOND_ASCII.test(pattern))
    this.#inText = throughEscapes(all([...found, ...patterns]))
    this.#inBytes = all([...found, wide ? throughUtf8(all(patterns)) : all(patterns)])
    this.#inAddress = throughEscapes(this.#inBytes)
    this.#headers = headerDetector(rules.headers)
    this.#namedAnywhere = argumentDetector(rules.headers)
    this.#parameters = parameterDetector(rules.query)
    this.#forms = formDetector(rules.query)
    this.#json = rules.json.map(parseJsonPath)
  }

  /** The key of the hashes of credentials from now on: equal values are seen as such where it is the same. */
  setKey(key: Uint8Array): void {
    this.#credentials?.setKey(key)
  }

  /** The call as it may be kept and shown. Its common columns are read anew from what is left of it. */
  call(given: Call): Call {
    const call = this.#credentials?.call(given) ?? given
    return this.#hasRules ? this.#starred(call) : call
  }

  #starred(call: Call): Call {
    const { protocol } = call
    const request = call.request && this.#message(call.request, protocol)
    const response = call.response && this.#message(call.response, protocol)
    if (request === call.request && response === call.response) return call
    const exchange: Exchange = { protocol, ...(request && { request }), ...(response && { response }) }
    const summary = protocolNamed(protocol)?.summarize(exchange) ?? {}
    return { ...call, ...(request && { request }), ...(response && { response }), summary }
  }

  /** A text that stands alone, such as a path; of some protocols, a statement. */
  text(text: string, protocol?: string): string {
    const ranges: Ranges = []
    this.#inText(text, ranges)
    this.#parameters(text, ranges)
    const dialect = protocol === undefined ? undefined : redactionOf(protocol)?.statements
    if (this.rules.sqlLiterals && dialect !== undefined) sqlLiterals(text, dialect, ranges)
    return maskText(text, ranges)
  }

  /** A text of which is not known what spoke it, such as the path that is the name of a group: it may be a statement. */
  loneText(text: string): string {
    const ranges: Ranges = []
    if (this.rules.sqlLiterals && isStatement(text)) anyLiterals(text, ranges)
    return this.text(maskText(text, ranges))
  }

  /** A body as text. */
  body(text: string): string {
    const ranges: Ranges = []
    this.#inText(text, ranges)
    this.#forms(text, ranges)
    if (this.#json.length > 0) jsonRanges(text, this.#json, ranges)
    return maskText(text, ranges)
  }

  /** An argument of a command: it may be a header, a body, an address, or a script with all of them. */
  argument(text: string): string {
    const ranges: Ranges = []
    this.#namedAnywhere(text, ranges)
    if (this.rules.sqlLiterals && SQL_VERB.test(text)) anyLiterals(text, ranges)
    return this.body(maskText(text, ranges))
  }

  /** A body as bytes. */
  bytes(body: Uint8Array): Uint8Array {
    const text = latin1(body)
    const ranges: Ranges = []
    if (isForm(text)) this.#inAddress(text, ranges)
    else this.#inBytes(text, ranges)
    this.#forms(text, ranges)
    if (this.#json.length > 0 && JSON_START.test(text)) jsonRanges(text, this.#json, ranges)
    if (this.#json.length > 0)
      for (const { redact } of dissectors)
        redact?.eachJsonInBody?.(body, (start, end) => this.#jsonAt(text, start, end, ranges))
    return maskBytes(body, ranges)
  }

  /** A call in its full or compact shape as JSON. */
  presented(call: unknown): unknown {
    return redactPresented(call, this)
  }

  #message(given: Message, protocol: string): Message {
    const message = this.#needsPlainBody() ? unpackBody(given) : given
    const { head, body, fields, key } = message
    const draft = redraft(message)
    if (head !== undefined) draft.head = this.#head(head, protocol, message.kind)
    if (body !== undefined) {
      const isStatement = message.kind === 'request' && redactionOf(protocol)?.statements !== undefined
      const bound = this.rules.sqlLiterals && isStatement
      if (this.rules.bodies || bound) dropBody(draft, body)
      else draft.body = this.#contents(this.bytes(body), protocol, message)
    }
    if (fields !== undefined) draft.fields = this.#fields(fields) as NonNullable<Message['fields']>
    if (typeof key === 'string') draft.key = this.text(key)
    const same = message === given && draft.head === head && draft.body === body && draft.fields === fields
    return same && draft.key === key ? given : draft
  }

  #needsPlainBody(): boolean {
    const { detect, patterns, query, json } = this.rules
    return detect.length + patterns.length + query.length + json.length > 0
  }

  /** JSON that begins there. */
  #jsonAt(text: string, start: number, end: number, into: Ranges): void {
    const found: Ranges = []
    jsonRanges(text.slice(start, end), this.#json, found)
    for (const at of found) into.push(start + at)
  }

  /** Values that only the protocol can find. Opaque ones are masked if any path is. */
  #contents(body: Uint8Array, protocol: string, message: Message): Uint8Array {
    const ranges: Ranges = []
    if (this.#needsPlainBody())
      redactionOf(protocol)?.eachCompressed?.(message, (start, end) => ranges.push(start, end))
    if (this.#json.length === 0) return maskBytes(body, ranges)
    redactionOf(protocol)?.eachValue?.(message, (keys, start, end) => {
      if (keys === undefined || this.#json.some((path) => leadsTo(path, keys))) ranges.push(start, end)
    })
    return maskBytes(body, ranges)
  }

  #head(head: Uint8Array, protocol: string, kind: Message['kind']): Uint8Array {
    const text = latin1(head)
    const ranges: Ranges = []
    const redaction = redactionOf(protocol)
    if (redaction?.hasHeaderLines) {
      this.#inAddress(text, ranges)
      this.#headers(text, ranges)
      this.#parameters(text, ranges)
    } else this.#inBytes(text, ranges)
    if (this.#json.length > 0)
      redaction?.eachJsonInHead?.(head, (start, end) => this.#jsonAt(text, start, end, ranges))
    if (this.rules.sqlLiterals && kind === 'request' && redaction?.statements !== undefined)
      sqlLiterals(text, redaction.statements, ranges)
    return maskBytes(head, ranges)
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

function redactionOf(protocol: string): Dissector['redact'] {
  return protocolNamed(protocol)?.redact
}

/** What is a literal to either dialect. */
function anyLiterals(text: string, into: Ranges): void {
  sqlLiterals(text, 'mysql', into)
  sqlLiterals(text, 'standard', into)
}

/** No path of an address, and no single word. */
function isStatement(text: string): boolean {
  return !/^\/(?!\*)/.test(text) && /[\s'"(]/.test(text)
}

function dropBody(draft: Draft<Message>, body: Uint8Array): void {
  delete draft.body
  draft.bodySize = draft.bodySize ?? body.length
}

function unchanged<T extends object>(before: T, after: T): T {
  const values = Object.values(after)
  return Object.values(before).every((value, at) => value === values[at]) ? before : after
}

function all(detectors: readonly Detector[]): Detector {
  return (text, into) => {
    for (const detect of detectors) detect(text, into)
  }
}

function patternDetector(source: string, maxSteps: number | undefined): Detector {
  const quoted = `"${source.slice(0, 80)}"`
  const regex = orRuleError(`${quoted} is no pattern`, () => new Regex(source))
  return (text, into) => {
    const spans = orRuleError(`${quoted} needs too much work on this text`, () => regex.spans(text, maxSteps))
    for (const at of spans) into.push(at)
  }
}

function orRuleError<T>(problem: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new RuleError(`${problem}: ${error.message}`)
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
