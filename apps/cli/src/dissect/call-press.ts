import {
  addressAnswers,
  type Call,
  type CallRecord,
  callFlow,
  type Endpoint,
  toCallRecord,
} from '@tapdeck/dissect'
import type { Resolver } from '@tapdeck/inventory'
import type { Filter } from '@tapdeck/kfl'
import type { Flow, Side } from '@tapdeck/wire'
import { CALL, CALL_NUMBERS, type Sheaf } from './sheaf.ts'
import { TextBlock } from './text-block.ts'
import { Words } from './words.ts'

/** How much of a call is kept; `none` only counts. */
export type CallShape = 'full' | 'compact' | 'none'

export interface PressSettings {
  readonly resolver: Resolver
  readonly filter: Filter
  readonly shape: CallShape
}

/** What stands in `node_id` and `capture_source` of calls that come out of a file. */
const fromFile = 'file'
const inFile = { has_pcap: true }
const sheafText = 1 << 20
const sheafCalls = 1 << 13

/** A flow with calls: its slot as seen from each side, and the protocols of those calls. */
interface Spoken {
  readonly slots: [number, number]
  protocols: readonly string[]
}

/** Names, filters and writes down the calls of one thread, and hands them on in sheaves. */
export class CallPress {
  flows = 0
  /** How many calls there are of each protocol; a filter that reads late is for the sheet to count. */
  readonly byProtocol: Record<string, number> = {}
  readonly #settings: PressSettings
  readonly #late: boolean
  readonly #shape: CallShape
  /** Nothing but numbers is wanted, and of every call. */
  readonly #countsAll: boolean
  readonly #deliver: (sheaf: Sheaf) => void
  readonly #text = new TextBlock(sheafText + sheafText / 4)
  readonly #endingText = new TextBlock(1 << 14)
  readonly #starts = new Float64Array(sheafCalls)
  readonly #flowIds = new Float64Array(sheafCalls)
  readonly #numbers = new Uint32Array(sheafCalls * CALL_NUMBERS)
  readonly #words = new Words()
  readonly #open = new Map<number, Spoken>()
  #count = 0
  #slots = 0
  #endings: number[] = []
  #handshakes: number[] = []
  #answers: number[] = []

  constructor(settings: PressSettings, deliver: (sheaf: Sheaf) => void) {
    this.#settings = settings
    this.#late = readsLate(settings.filter)
    this.#shape = this.#late ? 'full' : settings.shape
    this.#countsAll = this.#shape === 'none' && settings.filter.paths.length === 0
    this.#deliver = deliver
  }

  addCall(call: Call): void {
    const { flow, side, protocol } = call
    if (this.#countsAll) {
      this.byProtocol[protocol] = (this.byProtocol[protocol] ?? 0) + 1
      return
    }
    if (protocol === 'dns') this.#learn(call)
    const src = this.#peer(flow, side, call.start)
    const dst = this.#peer(flow, side === 0 ? 1 : 0, call.start)
    const record = toCallRecord(call, { src, dst }, fromFile, fromFile, inFile)
    const spoken = this.#shape === 'none' ? undefined : this.#spoken(flow, protocol)
    if (!this.#late) {
      if (!this.#settings.filter.matches(record)) return
      this.byProtocol[protocol] = (this.byProtocol[protocol] ?? 0) + 1
    }
    if (spoken === undefined) return
    if (spoken.slots[side] < 0) spoken.slots[side] = this.#slots++
    const row = this.#count++
    this.#starts[row] = call.start
    this.#flowIds[row] = flow.id
    this.#write(record, row * CALL_NUMBERS)
    this.#numbers[row * CALL_NUMBERS + CALL.slot] = spoken.slots[side]
    if (this.#count === sheafCalls || this.#text.used >= sheafText) this.handOver()
  }

  addFlow(flow: Flow): void {
    this.flows++
    if (this.#shape === 'none') return
    const handshake = flow.tcp?.handshake_us
    if (handshake !== undefined)
      this.#handshakes.push(this.#words.number(serviceOf(this.#peer(flow, 1, flow.start))), handshake)
    const spoken = this.#open.get(flow.id)
    if (spoken !== undefined) {
      this.#open.delete(flow.id)
      for (const side of [0, 1] as const)
        if (spoken.slots[side] >= 0)
          this.#endings.push(spoken.slots[side], this.#endingText.add(ending(flow, side, spoken)))
    }
    if (this.#handshakes.length + this.#endings.length >= sheafCalls) this.handOver()
  }

  /** Hands on what there is. */
  handOver(): void {
    const count = this.#count
    const others = this.#endings.length + this.#handshakes.length + this.#answers.length
    if (count + others === 0) return
    const sheaf: Sheaf = {
      count,
      starts: this.#starts.slice(0, count),
      flows: this.#flowIds.slice(0, count),
      numbers: this.#numbers.slice(0, count * CALL_NUMBERS),
      text: this.#text.take(),
      endings: Uint32Array.from(this.#endings),
      endingText: this.#endingText.take(),
      handshakes: Float64Array.from(this.#handshakes),
      answers: Float64Array.from(this.#answers),
      words: this.#words.takeFresh(),
    }
    this.#count = 0
    this.#endings = []
    this.#handshakes = []
    this.#answers = []
    this.#deliver(sheaf)
  }

  #write(record: CallRecord, at: number): void {
    const numbers = this.#numbers
    const { src, dst } = record
    const full = this.#shape === 'full'
    numbers[at + CALL.end] = this.#text.add(full ? record.toText(false) : JSON.stringify(record.compact()))
    numbers[at + CALL.protocol] = this.#words.number(record.proto)
    numbers[at + CALL.service] = this.#words.number(serviceOf(dst))
    numbers[at + CALL.src] = this.#words.number(src.ip)
    numbers[at + CALL.dst] = this.#words.number(dst.ip)
  }

  #learn(call: Call): void {
    const told = addressAnswers(call)
    if (told === undefined) return
    const name = this.#words.number(told.name)
    for (const { ip, ttl } of told.addresses)
      this.#answers.push(call.end / 1000, call.flow.id, ttl, name, this.#words.number(ip))
  }

  #peer(flow: Flow, side: Side, time: number): Endpoint {
    const { ip, port } = flow.ends[side]
    return { ip, port, ...this.#settings.resolver.resolve(ip, port, time / 1000) }
  }

  #spoken(flow: Flow, protocol: string): Spoken {
    let spoken = this.#open.get(flow.id)
    if (spoken === undefined) {
      spoken = { slots: [-1, -1], protocols: [] }
      this.#open.set(flow.id, spoken)
    }
    if (!spoken.protocols.includes(protocol)) spoken.protocols = [...spoken.protocols, protocol]
    return spoken
  }
}

/** Whether the filter reads what is known only when all flows are over, or all names were told. */
export function readsLate({ paths }: Filter): boolean {
  return paths.some((path) => /^(tcp|flow|(src|dst)\.dns)($|[.[])|^tcp_handshake/.test(path))
}

/** What the line of a call has besides once its flow is over, without the braces. */
function ending(flow: Flow, side: Side, { protocols }: Spoken): string {
  const tcp = protocols.includes('tcp') ? undefined : flow.tcp
  return JSON.stringify({ flow: callFlow(flow, side, protocols), tcp }).slice(1, -1)
}

function serviceOf({ ns, svc, ip, port }: Endpoint): string {
  return svc === undefined ? `${ip}:${port}` : `${ns}/${svc}`
}
