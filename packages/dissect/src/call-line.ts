import type { Call, Endpoint, PresentedHalf, Summary } from './call.ts'
import type { CallFrame } from './call-frame.ts'
import type { CallSource } from './call-record.ts'
import type { Presentation } from './dissector.ts'
import { toCallRecord } from './engine-call.ts'
import { JsonBytes } from './json-bytes.ts'
import { LINE, LINE_MARKS } from './line-marks.ts'
import { type Phrase, phrase } from './phrase.ts'
import { protocolNamed } from './protocols/index.ts'

const TS = phrase('","ts":')
const SRC = phrase(',"src":')
const DST = phrase(',"dst":')
const IP = phrase('{"ip":')
const PORT = phrase(',"port":')
const METHOD = phrase(',"method":')
const PATH = phrase(',"path":')
const STATUS = phrase(',"status":')
const LATENCY = phrase(',"latency_ms":')
const ERROR = phrase(',"error":')
const REQUEST = phrase(',"request":')
const RESPONSE = phrase(',"response":')
const TTFB = phrase(',"ttfb_ms":')
const CONN_ID = phrase(',"conn_id":')
const FLOW_ID = phrase(',"flow_id":')
const REQ_SIZE = phrase(',"req_size":')
const RESP_SIZE = phrase(',"resp_size":')
const SLASH = 0x2f
const COMMA = 0x2c
const OPEN = 0x7b
const COLON = 0x3a
const BRACE = 0x7d
const IN_REQUEST = ['method', 'path']
const IN_RESPONSE = ['status']

/**
 * Calls as JSON, one behind the other, without an object or a string a call where its protocol can do without: what
 * `CallRecord.toJSON` says, but for what is known only when the flow is over (`flow`, `tcp`, handshakes).
 */
export class CallLine {
  readonly out: JsonBytes
  /** Of the line written last, by `LINE`. */
  readonly marks = new Uint32Array(LINE_MARKS)
  readonly #node: string
  readonly #captureSource: string
  readonly #more: Pick<CallSource, 'node_ip' | 'has_pcap'>
  readonly #begin: Uint8Array
  readonly #place: Uint8Array
  /** Where the columns of the line stand as values, for a protocol that shows them again; 0 where there are none. */
  method = 0
  methodEnd = 0
  path = 0
  pathEnd = 0
  status = 0
  statusEnd = 0
  #start = 0
  /** Where the member written last has its value. */
  #value = 0
  /** Calls of one protocol come in a row. */
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

  /** Writes down what calls of the flow have in common. */
  #make(frame: CallFrame): void {
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

  #writeBegin(frame: CallFrame): void {
    const { out } = this
    if (frame.begin !== undefined) {
      out.copy(frame.begin)
      return
    }
    out.copy(this.#begin)
    out.number(frame.id)
    out.byte(SLASH)
  }

  /** Notes where the ends are closed, counted from `start`. */
  #writeEnds(frame: CallFrame, start: number): void {
    const { out } = this
    if (frame.ends !== undefined) {
      out.copy(frame.ends)
      return
    }
    out.phrase(SRC)
    this.#endpoint(frame.src)
    frame.srcBrace = out.at - 1 - start
    out.phrase(DST)
    this.#endpoint(frame.dst)
    frame.dstBrace = out.at - 1 - start
  }

  #writeTail(frame: CallFrame): void {
    const { out } = this
    if (frame.tail !== undefined) {
      out.copy(frame.tail)
      return
    }
    out.phrase(CONN_ID)
    out.number(frame.id)
    out.phrase(FLOW_ID)
    out.number(frame.id)
    out.copy(this.#place)
  }

  /** The call in full. */
  full(call: Call, frame: CallFrame): void {
    const { out } = this
    this.#columns(call, frame)
    if (call.protocol === 'tcp') this.#unrecognised(call, frame)
    else {
      const { request, response } = call
      this.#halves(call)
      if (request?.kind === 'request' && response !== undefined) {
        const { end } = request
        const { start } = response
        if (start !== undefined && end !== undefined) {
          out.phrase(TTFB)
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

  /** Its columns alone. */
  compact(call: Call, frame: CallFrame): void {
    this.#columns(call, frame)
    this.#endMiddle()
    this.out.byte(BRACE)
  }

  /** For a protocol that writes its own halves: the headers, or the body, that begin at `start` end here. */
  mark(mark: number, start: number): void {
    this.marks[mark] = start - this.#start
    this.marks[mark + 1] = this.out.at - this.#start
  }

  /** The response as it was presented, for a protocol that writes only some of them itself. */
  response(half: PresentedHalf, status: Summary['status']): void {
    this.out.phrase(RESPONSE)
    const next = this.#column(OPEN, 'status', status, half)
    this.#half(next, half, IN_RESPONSE, LINE.respHeaders, LINE.respBody)
  }

  #endMiddle(): void {
    this.marks[LINE.middle] = this.out.at - this.#start
  }

  #columns(call: Call, frame: CallFrame): void {
    const { out, marks } = this
    const { summary, request, response } = call
    this.#start = out.at
    for (let i = 0; i < LINE_MARKS; i++) marks[i] = 0
    if (frame.isUsed && frame.begin === undefined) this.#make(frame)
    frame.isUsed = true
    this.#writeBegin(frame)
    out.number(call.ordinal)
    out.phrase(TS)
    out.milliseconds(call.start)
    const ends = out.at - this.#start
    this.#writeEnds(frame, out.at)
    marks[LINE.src] = ends + frame.srcBrace
    marks[LINE.dst] = ends + frame.dstBrace
    out.phrase(this.#proto(call.protocol))
    const { method, path, status } = summary
    this.method = method === undefined ? 0 : out.at + METHOD.length
    if (method !== undefined) this.#string(METHOD, method)
    this.methodEnd = out.at
    this.path = path === undefined ? 0 : out.at + PATH.length
    if (path !== undefined) this.#string(PATH, path)
    this.pathEnd = out.at
    this.status = status === undefined ? 0 : out.at + STATUS.length
    if (typeof status === 'number') this.#number(STATUS, status)
    else if (status !== undefined) this.#string(STATUS, status)
    this.statusEnd = out.at
    if (request?.kind === 'request' && response !== undefined) {
      const { start } = request
      const { end } = response
      if (start !== undefined && end !== undefined) {
        out.phrase(LATENCY)
        out.milliseconds(Math.max(0, end - start))
      }
    }
    const error = call.missing ?? summary.failure
    if (error !== undefined) this.#string(ERROR, error)
  }

  #proto(protocol: string): Phrase {
    if (protocol !== this.#protocol) {
      this.#protocol = protocol
      this.#protoPhrase = phrase(`,"proto":${JSON.stringify(protocol)}`)
    }
    return this.#protoPhrase
  }

  #endpoint(endpoint: Endpoint): void {
    const { out } = this
    out.phrase(IP)
    out.string(endpoint.ip)
    this.#number(PORT, endpoint.port)
    for (const key in endpoint) {
      if (key === 'ip' || key === 'port') continue
      const member = endpoint[key as keyof Endpoint]
      if (member !== undefined) this.#member(COMMA, key, member)
    }
    out.byte(BRACE)
  }

  #halves(call: Call): void {
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
      out.phrase(REQUEST)
      const next = this.#column(OPEN, 'method', method, request)
      this.#half(
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

  /** Columns stand first in a half, whatever it says itself of them. */
  #column(next: number, key: string, column: string | number | undefined, half: PresentedHalf): number {
    const value = key in half ? half[key] : column
    if (value === undefined) return next
    this.#member(next, key, value)
    return COMMA
  }

  #half(first: number, half: PresentedHalf, before: readonly string[], headers: number, body: number): void {
    const { out } = this
    let next = first
    for (const key in half) {
      const value = half[key]
      if (value === undefined || before.includes(key)) continue
      this.#member(next, key, value)
      next = COMMA
      if (key === 'headers') this.mark(headers, this.#value)
      else if (key === 'body') this.mark(body, this.#value)
    }
    if (next === OPEN) out.byte(OPEN)
    out.byte(BRACE)
  }

  /** A flow that nobody recognised: its own object stands among the measurements of the connection. */
  #unrecognised(call: Call, frame: CallFrame): void {
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

  #string(key: Phrase, value: string): void {
    this.out.phrase(key)
    this.out.string(value)
  }

  #number(key: Phrase, value: number): void {
    this.out.phrase(key)
    this.out.number(value)
  }
}
