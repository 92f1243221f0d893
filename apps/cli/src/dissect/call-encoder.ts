import {
  type AddressTaker,
  type Call,
  CallLineWriter,
  callFlow,
  type Endpoint,
  eachAddress,
  FlowLinePrefix,
  JsonBytes,
  LINE_MARKS,
  type Peers,
  toCallRecord,
} from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'
import type { Flow, Side } from '@tapdeck/wire'
import { CALL, CALL_NUMBERS, type CallBatch } from './call-batch.ts'
import { DnsAnswers } from './dns-answers.ts'
import { Words } from './words.ts'

/** How much of a call is kept; `none` only counts. */
export type CallShape = 'full' | 'compact' | 'none'

export interface EncoderSettings {
  readonly filter: Filter
  readonly shape: CallShape
}

/** Takes a batch. Returns memory that the next lines may be written to, if there is any. */
export type DeliverBatch = (batch: CallBatch) => Uint8Array<ArrayBuffer> | undefined

/** The value of `node_id` and `capture_source` of calls that come out of a file. */
const fromFile = 'file'
const inFile = { has_pcap: true }
const FLOW = Buffer.from('"flow":')
const TCP = Buffer.from(',"tcp":')
const BATCH_TEXT = 1 << 20
/** With space for one more call of a usual size. */
const BATCH_BUFFER = BATCH_TEXT + BATCH_TEXT / 4
const ENDING_BUFFER = 1 << 16
const BATCH_CALLS = 1 << 13

/** One end of a flow as it was last named, and the words for it; -1 until they are needed. */
class Peer {
  endpoint: Endpoint = NOWHERE
  ip = -1
  service = -1

  /** The endpoint stays the same object as long as its names do. */
  name(endpoint: Endpoint): this {
    if (this.endpoint === endpoint) return this
    this.endpoint = endpoint
    this.ip = -1
    this.service = -1
    return this
  }
}

/** A flow with calls: its slot as seen from each side, its ends, and the protocols of those calls. */
class Spoken {
  readonly slots: [number, number] = [-1, -1]
  readonly peers: readonly [Peer, Peer] = [new Peer(), new Peer()]
  /** What lines of its calls have in common, by the side that asks. */
  readonly frames: [FlowLinePrefix | undefined, FlowLinePrefix | undefined] = [undefined, undefined]
  protocols: readonly string[] = NOTHING
}

const NOWHERE: Endpoint = { ip: '', port: 0 }
const NOTHING: readonly string[] = []

/** Names, filters and encodes the calls of one thread, and delivers them in batches. */
export class CallEncoder implements AddressTaker {
  flows = 0
  /** How many calls there are of each protocol; a filter that reads late is for the sorter to count. */
  readonly byProtocol: Record<string, number> = {}
  readonly #filter: Filter
  readonly #late: boolean
  readonly #shape: CallShape
  readonly #wantsAll: boolean
  /** Nothing but numbers is wanted, and of every call. */
  readonly #countsAll: boolean
  readonly #deliver: DeliverBatch
  readonly #line = new CallLineWriter(BATCH_BUFFER, fromFile, fromFile, inFile)
  readonly #ending = new JsonBytes(ENDING_BUFFER)
  readonly #starts = new Float64Array(BATCH_CALLS)
  readonly #flowIds = new Float64Array(BATCH_CALLS)
  readonly #numbers = new Uint32Array(BATCH_CALLS * CALL_NUMBERS)
  readonly #words = new Words()
  readonly #answers = new DnsAnswers()
  readonly #open = new Map<Flow, Spoken>()
  readonly #lists = new Map<string, readonly string[]>()
  #lastProtocol = ''
  #lastNumber = -1
  #telling: Call | undefined
  #count = 0
  #slots = 0
  #endings: number[] = []
  #unacked: number[] = []
  #handshakes: number[] = []

  constructor(settings: EncoderSettings, deliver: DeliverBatch) {
    this.#filter = settings.filter
    this.#late = readsLate(settings.filter)
    this.#shape = this.#late ? 'full' : settings.shape
    this.#wantsAll = settings.filter.parts.length === 0
    this.#countsAll = this.#shape === 'none' && this.#wantsAll
    this.#deliver = deliver
  }

  /** `name` gives the ends of the call, without names from DNS: the sorter has the answers of all threads in order of time. */
  addCall(call: Call, name: (call: Call) => Peers | undefined): void {
    const { flow, side, protocol } = call
    if (this.#countsAll) {
      this.byProtocol[protocol] = (this.byProtocol[protocol] ?? 0) + 1
      return
    }
    if (protocol === 'dns') this.#learn(call)
    const other = side === 0 ? 1 : 0
    const spoken = this.#shape === 'none' ? undefined : this.#spoken(flow, protocol)
    const named = name(call)
    if (named === undefined) return
    const src = (spoken?.peers[side] ?? new Peer()).name(named.src)
    const dst = (spoken?.peers[other] ?? new Peer()).name(named.dst)
    if (!this.#late) {
      if (!this.#wants(call, src.endpoint, dst.endpoint)) return
      this.byProtocol[protocol] = (this.byProtocol[protocol] ?? 0) + 1
    }
    if (spoken === undefined) return
    if (spoken.slots[side] < 0) spoken.slots[side] = this.#slots++
    const row = this.#count++
    this.#starts[row] = call.start
    this.#flowIds[row] = flow.id
    const line = this.#line
    const frame = this.#frame(spoken, flow, side, src.endpoint, dst.endpoint)
    if (this.#shape === 'full') line.full(call, frame)
    else line.compact(call, frame)
    const numbers = this.#numbers
    const at = row * CALL_NUMBERS
    numbers[at + CALL.end] = line.out.at
    numbers[at + CALL.protocol] = this.#protocol(protocol)
    numbers[at + CALL.service] = this.#service(dst)
    numbers[at + CALL.slot] = spoken.slots[side]
    numbers[at + CALL.src] = this.#address(src)
    numbers[at + CALL.dst] = this.#address(dst)
    for (let i = 0; i < LINE_MARKS; i++) numbers[at + CALL.marks + i] = line.marks[i]!
    if (this.#count === BATCH_CALLS || line.out.at >= BATCH_TEXT) this.handOver()
  }

  addFlow(flow: Flow, name: (flow: Flow) => Peers): void {
    this.flows++
    if (this.#shape === 'none') return
    const spoken = this.#open.get(flow)
    const handshake = flow.tcp?.handshake_us
    if (handshake !== undefined) {
      const server = (spoken?.peers[1] ?? new Peer()).name(name(flow).dst)
      this.#handshakes.push(this.#service(server), handshake)
    }
    if (spoken !== undefined) {
      this.#open.delete(flow)
      for (const side of [0, 1] as const)
        if (spoken.slots[side] >= 0) {
          writeEnding(flow, side, spoken.protocols, this.#ending)
          this.#endings.push(spoken.slots[side], this.#ending.at)
          const since = flow.unacked?.[side === 0 ? 1 : 0]
          if (since !== undefined) this.#unacked.push(spoken.slots[side], since)
        }
    }
    if (this.#handshakes.length + this.#endings.length >= BATCH_CALLS) this.handOver()
  }

  /** Hands on what there is. */
  handOver(): void {
    const count = this.#count
    const others = this.#endings.length + this.#handshakes.length
    if (count + others === 0 && this.#answers.size === 0) return
    const batch: CallBatch = {
      count,
      starts: this.#starts.slice(0, count),
      flows: this.#flowIds.slice(0, count),
      numbers: this.#numbers.slice(0, count * CALL_NUMBERS),
      text: this.#line.out.written,
      endings: Uint32Array.from(this.#endings),
      endingText: this.#ending.written.slice(),
      unacked: Float64Array.from(this.#unacked),
      handshakes: Float64Array.from(this.#handshakes),
      answers: this.#answers.take(),
      words: this.#words.takeFresh(),
    }
    this.#count = 0
    this.#endings = []
    this.#unacked = []
    this.#handshakes = []
    this.#ending.at = 0
    this.#line.out.renew(BATCH_BUFFER, this.#deliver(batch))
  }

  #wants(call: Call, src: Endpoint, dst: Endpoint): boolean {
    return (
      this.#wantsAll || this.#filter.matches(toCallRecord(call, { src, dst }, fromFile, fromFile, inFile))
    )
  }

  #learn(call: Call): void {
    this.#telling = call
    eachAddress(call, this)
    if (this.#answers.size >= BATCH_TEXT) this.handOver()
  }

  address(name: string, _: number, head: Uint8Array, at: number, end: number, ttl: number): void {
    const { end: time, flow } = this.#telling!
    this.#answers.add(name, head.subarray(at, end), time / 1000, flow.id, ttl)
  }

  #frame(spoken: Spoken, flow: Flow, side: Side, src: Endpoint, dst: Endpoint): FlowLinePrefix {
    const known = spoken.frames[side]
    if (known !== undefined && known.src === src && known.dst === dst) return known
    const frame = new FlowLinePrefix(flow.id, src, dst)
    spoken.frames[side] = frame
    return frame
  }

  /** Calls of one protocol come in a row. */
  #protocol(name: string): number {
    if (name !== this.#lastProtocol) {
      this.#lastProtocol = name
      this.#lastNumber = this.#words.number(name)
    }
    return this.#lastNumber
  }

  #service(peer: Peer): number {
    if (peer.service < 0) peer.service = this.#words.number(serviceOf(peer.endpoint))
    return peer.service
  }

  #address(peer: Peer): number {
    if (peer.ip < 0) peer.ip = this.#words.number(peer.endpoint.ip)
    return peer.ip
  }

  /** Most flows have calls of one protocol: those share a list. */
  #alone(protocol: string): readonly string[] {
    let list = this.#lists.get(protocol)
    if (list === undefined) {
      list = [protocol]
      this.#lists.set(protocol, list)
    }
    return list
  }

  #spoken(flow: Flow, protocol: string): Spoken {
    let spoken = this.#open.get(flow)
    if (spoken === undefined) {
      spoken = new Spoken()
      this.#open.set(flow, spoken)
    }
    const { protocols } = spoken
    if (protocols.length === 0) spoken.protocols = this.#alone(protocol)
    else if (!protocols.includes(protocol)) spoken.protocols = [...protocols, protocol]
    return spoken
  }
}

/** Whether the filter reads what is known only when all flows are over, or all DNS answers were read. */
export function readsLate({ paths }: Filter): boolean {
  return paths.some((path) => /^(tcp|flow|delivery|(src|dst)\.dns)($|[.[])|^tcp_handshake/.test(path))
}

/** What the line of a call has besides once its flow is over, without the braces. */
function writeEnding(flow: Flow, side: Side, protocols: readonly string[], out: JsonBytes): void {
  const { tcp } = flow
  out.copy(FLOW)
  out.object(callFlow(flow, side, protocols))
  if (tcp === undefined || protocols.includes('tcp')) return
  out.copy(TCP)
  out.object(tcp)
}

function serviceOf({ ns, svc, ip, port }: Endpoint): string {
  return svc === undefined ? `${ip}:${port}` : `${ns}/${svc}`
}
