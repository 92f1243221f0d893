import type { CallSource } from '../call/call-record.ts'
import { connectionEndOf } from '../call/connection-end.ts'
import { toCallRecord } from '../call/engine-call.ts'
import type { Call, Endpoint, PresentedMessage, Summary } from '../contract/call.ts'
import type { Presentation } from '../contract/dissector.ts'
import { LINE, LINE_MARKS } from '../contract/line-marks.ts'
import type { LineWriter } from '../contract/line-writer.ts'
import { JsonBytes } from '../json/json-bytes.ts'
import { type JsonFragment, jsonFragment } from '../json/json-fragment.ts'
import { protocolNamed } from '../protocols/index.ts'
import type { FlowLinePrefix } from './flow-line-prefix.ts'

const TS = jsonFragment('","ts":')
const SRC = jsonFragment(',"src":')
const DST = jsonFragment(',"dst":')
const IP = jsonFragment('{"ip":')
const PORT = jsonFragment(',"port":')
const METHOD = jsonFragment(',"method":')
const PATH = jsonFragment(',"path":')
const STATUS = jsonFragment(',"status":')
const LATENCY = jsonFragment(',"latency_ms":')
const ERROR = jsonFragment(',"error":')
const CONNECTION_END = jsonFragment(',"connection_end":')
const DECRYPTED = jsonFragment(',"decrypted":true')
const REQUEST = jsonFragment(',"request":')
const RESPONSE = jsonFragment(',"response":')
const TTFB = jsonFragment(',"ttfb_ms":')
const CONN_ID = jsonFragment(',"conn_id":')
const FLOW_ID = jsonFragment(',"flow_id":')
const REQ_SIZE = jsonFragment(',"req_size":')
const RESP_SIZE = jsonFragment(',"resp_size":')
const SLASH = 0x2f
const COMMA = 0x2c
const OPEN = 0x7b
const COLON = 0x3a
const BRACE = 0x7d
/** Values that are looked up when a line may have them already, and from which length on texts are worth it. */
const MAX_WRITTEN = 8
const MIN_REPEATED_TEXT = 24
const IN_REQUEST = ['method', 'path']
const IN_RESPONSE = ['status']

/**
 * Writes calls as JSON lines into one buffer, without creating objects or strings where the protocol supports it:
 * `CallRecord.toJSON` without what is known only after the flow ended (`flow`, `tcp`, handshakes).
 */
export class CallLineWriter implements LineWriter {
  readonly out: JsonBytes
  /** Offsets in the last line, indexed by `LINE`. */
  readonly marks = new Uint32Array(LINE_MARKS)
  readonly #node: string
  readonly #captureSource: string
  readonly #more: Pick<CallSource, 'node_ip' | 'has_pcap'>
  readonly #begin: Uint8Array
  readonly #place: Uint8Array
  /** Positions of the column values, for protocols that repeat them; 0: none. */
  method = 0
  methodEnd = 0
  path = 0
  pathEnd = 0
  status = 0
  statusEnd = 0
  #start = 0
  /** Position of the last member's value. */
  #value = 0
  /** Values of the line that may come again, and their positions. */
  readonly #written: unknown[] = new Array(MAX_WRITTEN)
  readonly #writtenAt = new Uint32Array(MAX_WRITTEN * 2)
  #writtenCount = 0
  /** Cached, because consecutive calls mostly have the same protocol. */
  #protocol = ''
  #protoPhrase = METHOD

  constructor(
    room: number,
    node: string,
    captureSource: string,
    more: Pick<CallSource, 'node_ip' | 'has_pcap'> = {},
  ) {
    const { node_ip, has_pcap } = more
    this.out = new JsonBytes(room)
    this.#node = node
    this.#captureSource = captureSource
    this.#more = more
    const id = Buffer.from(JSON.stringify(`${node}/`))
    this.#begin = Buffer.concat([Buffer.from('{"id":'), id.subarray(0, -1)])
    const place = { node_id: node, node_ip, capture_source: captureSource, has_pcap }
    this.#place = Buffer.from(`,${JSON.stringify(place).slice(1, -1)}`)
  }

  /** Stores what all lines of the flow share. */
  #make(frame: FlowLinePrefix): void {
    const { out } = this
    const start = out.at
    this.#writeBegin(frame)
    const ends = out.at
    this.#writeEnds(frame, ends)
    const tail = out.at
    this.#writeTail(frame)
    const bytes = out.bytes.slice(start, out.at)
    out.at = start
    frame.begin = bytes.subarray(0, ends - start)
    frame.ends = bytes.subarray(ends - start, tail - start)
    frame.tail = bytes.subarray(tail - start)
  }

  #writeBegin(frame: FlowLinePrefix): void {
    const { out } = this
    if (frame.begin !== undefined) {
      out.copy(frame.begin)
      return
    }
    out.copy(this.#begin)
    out.number(frame.id)
    out.byte(SLASH)
  }

  /** Records the closing braces of the endpoints, relative to `start`. */
  #writeEnds(frame: FlowLinePrefix, start: number): void {
    const { out } = this
    if (frame.ends !== undefined) {
      out.copy(frame.ends)
      return
    }
    out.fragment(SRC)
    this.#endpoint(frame.src)
    frame.srcBrace = out.at - 1 - start
    out.fragment(DST)
    this.#endpoint(frame.dst)
    frame.dstBrace = out.at - 1 - start
  }

  #writeTail(frame: FlowLinePrefix): void {
    const { out } = this
    if (frame.tail !== undefined) {
      out.copy(frame.tail)
      return
    }
    out.fragment(CONN_ID)
    out.number(frame.id)
    out.fragment(FLOW_ID)
    out.number(frame.id)
    out.copy(this.#place)
  }

  /** The full call. */
  full(call: Call, frame: FlowLinePrefix): void {
    const { out } = this
    this.#columns(call, frame)
    if (call.protocol === 'tcp') this.#unrecognised(call, frame)
    else {
      const { request, response } = call
      this.#messages(call)
      if (call.tls !== undefined) this.#member(COMMA, 'tls', call.tls)
      if (request?.kind === 'request' && response !== undefined) {
        const { end } = request
        const { start } = response
        if (start !== undefined && end !== undefined) {
          out.fragment(TTFB)
          out.milliseconds(Math.max(0, start - end))
        }
      }
      this.#writeTail(frame)
    }
    this.#endMiddle()
    if (call.protocol !== 'tcp') {
      const { request, response } = call
      if (request?.size !== undefined) this.#number(REQ_SIZE, request.size)
      if (response?.size !== undefined) this.#number(RESP_SIZE, response.size)
    }
    out.byte(BRACE)
  }

  /** Only the columns. */
  compact(call: Call, frame: FlowLinePrefix): void {
    this.#columns(call, frame)
    this.#endMiddle()
    this.out.byte(BRACE)
  }

  value(value: unknown): void {
    const { out } = this
    const isText = typeof value === 'string'
    if (isText ? value.length < MIN_REPEATED_TEXT : typeof value !== 'object') {
      out.value(value)
      return
    }
    const written = this.#written
    const places = this.#writtenAt
    const count = this.#writtenCount
    for (let i = 0; i < count; i++)
      if (written[i] === value) {
        out.again(places[2 * i], places[2 * i + 1])
        return
      }
    const start = out.at
    out.value(value)
    this.#note(value, start)
  }

  /** Remembers a value that begins at `start` of the buffer and ends here. */
  #note(value: unknown, start: number): void {
    const count = this.#writtenCount
    if (count === MAX_WRITTEN) return
    this.#written[count] = value
    this.#writtenAt[2 * count] = start
    this.#writtenAt[2 * count + 1] = this.out.at
    this.#writtenCount = count + 1
  }

  /** Marks the headers or body that begin at `start` and end here, for protocols that write their own messages. */
  mark(mark: number, start: number): void {
    this.marks[mark] = start - this.#start
    this.marks[mark + 1] = this.out.at - this.#start
  }

  /** A response in its presented form, for protocols that write only some responses themselves. */
  response(message: PresentedMessage, status: Summary['status']): void {
    this.out.fragment(RESPONSE)
    const next = this.#column(OPEN, 'status', status, message)
    this.#message(next, message, IN_RESPONSE, LINE.respHeaders, LINE.respBody)
  }

  #endMiddle(): void {
    this.marks[LINE.middle] = this.out.at - this.#start
  }

  #columns(call: Call, frame: FlowLinePrefix): void {
    const { out, marks } = this
    const { summary, request, response } = call
    this.#start = out.at
    for (let i = 0; i < LINE_MARKS; i++) marks[i] = 0
    if (frame.isUsed && frame.begin === undefined) this.#make(frame)
    frame.isUsed = true
    this.#writeBegin(frame)
    out.number(call.ordinal)
    out.fragment(TS)
    out.milliseconds(call.start)
    const ends = out.at - this.#start
    this.#writeEnds(frame, out.at)
    marks[LINE.src] = ends + frame.srcBrace
    marks[LINE.dst] = ends + frame.dstBrace
    out.fragment(this.#proto(call.protocol))
    const { method, path, status } = summary
    this.method = method === undefined ? 0 : out.at + METHOD.length
    if (method !== undefined) this.#string(METHOD, method)
    this.methodEnd = out.at
    this.path = path === undefined ? 0 : out.at + PATH.length
    if (path !== undefined) this.#string(PATH, path)
    this.pathEnd = out.at
    this.#writtenCount = 0
    if (path !== undefined && path.length >= MIN_REPEATED_TEXT) this.#note(path, this.path)
    this.status = status === undefined ? 0 : out.at + STATUS.length
    if (typeof status === 'number') this.#number(STATUS, status)
    else if (status !== undefined) this.#string(STATUS, status)
    this.statusEnd = out.at
    if (request?.kind === 'request' && response !== undefined) {
      const { start } = request
      const { end } = response
      if (start !== undefined && end !== undefined) {
        out.fragment(LATENCY)
        out.milliseconds(Math.max(0, end - start))
      }
    }
    const error = call.missing ?? summary.failure
    if (error !== undefined) this.#string(ERROR, error)
    const ended = call.missing === undefined ? undefined : connectionEndOf(call)
    if (ended !== undefined) this.#string(CONNECTION_END, ended)
    if (call.tls !== undefined) out.fragment(DECRYPTED)
  }

  #proto(protocol: string): JsonFragment {
    if (protocol !== this.#protocol) {
      this.#protocol = protocol
      this.#protoPhrase = jsonFragment(`,"proto":${JSON.stringify(protocol)}`)
    }
    return this.#protoPhrase
  }

  #endpoint(endpoint: Endpoint): void {
    const { out } = this
    out.fragment(IP)
    out.string(endpoint.ip)
    this.#number(PORT, endpoint.port)
    for (const key in endpoint) {
      if (key === 'ip' || key === 'port') continue
      const member = endpoint[key as keyof Endpoint]
      if (member !== undefined) this.#member(COMMA, key, member)
    }
    out.byte(BRACE)
  }

  #messages(call: Call): void {
    const { out, marks } = this
    const { protocol } = call
    const dissector = protocolNamed(protocol)
    const start = out.at
    if (dissector?.write?.(call, call.summary, this)) return
    out.at = start
    marks.fill(0, LINE.reqHeaders, LINE.respBodyEnd + 1)
    const { request, response, own }: Presentation = dissector?.present(call) ?? {}
    const { method, path, status } = call.summary
    if (request !== undefined) {
      out.fragment(REQUEST)
      const next = this.#column(OPEN, 'method', method, request)
      this.#message(
        this.#column(next, 'path', path, request),
        request,
        IN_REQUEST,
        LINE.reqHeaders,
        LINE.reqBody,
      )
    }
    if (response !== undefined) this.response(response, status)
    if (own !== undefined) this.#member(COMMA, protocol, own)
  }

  /** Columns come first in a message; its own value wins. */
  #column(next: number, key: string, column: string | number | undefined, message: PresentedMessage): number {
    const value = key in message ? message[key] : column
    if (value === undefined) return next
    this.#member(next, key, value)
    return COMMA
  }

  #message(
    first: number,
    message: PresentedMessage,
    before: readonly string[],
    headers: number,
    body: number,
  ): void {
    const { out } = this
    let next = first
    for (const key in message) {
      const value = message[key]
      if (value === undefined || before.includes(key)) continue
      this.#member(next, key, value)
      next = COMMA
      if (key === 'headers') this.mark(headers, this.#value)
      else if (key === 'body') this.mark(body, this.#value)
    }
    if (next === OPEN) out.byte(OPEN)
    out.byte(BRACE)
  }

  /** In an unrecognised flow, the own fields are part of the connection's measurements. */
  #unrecognised(call: Call, frame: FlowLinePrefix): void {
    const record = toCallRecord(call, frame, this.#node, this.#captureSource, this.#more)
    const columns = record.compact()
    const all = record.toJSON()
    for (const key in all) if (key !== 'flow' && !(key in columns)) this.#member(COMMA, key, all[key])
  }

  #member(before: number, key: string, value: unknown): void {
    const { out } = this
    out.byte(before)
    out.string(key)
    out.byte(COLON)
    this.#value = out.at
    out.value(value)
  }

  #string(key: JsonFragment, value: string): void {
    this.out.fragment(key)
    this.out.string(value)
  }

  #number(key: JsonFragment, value: number): void {
    this.out.fragment(key)
    this.out.number(value)
  }
}
