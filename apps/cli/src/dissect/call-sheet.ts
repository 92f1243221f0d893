import { type Call, type CallRecord, type Endpoint, toCallRecord } from '@tapdeck/dissect'
import type { Resolver } from '@tapdeck/inventory'
import type { Filter } from '@tapdeck/kfl'
import type { Flow } from '@tapdeck/wire'
import { Handshakes } from './handshakes.ts'
import { Spool } from './spool.ts'

/** How much of a call is kept; `none` only counts. */
export type CallShape = 'full' | 'compact' | 'none'

/** What stands in `node_id` and `capture_source` of calls that come out of a file. */
const fromFile = 'file'

/**
 * The calls of a run, put away as they come and read back in order of time. What is known only at the end is added
 * then: measurements of the connection, handshake percentiles of the destination service.
 */
export class CallSheet {
  flows = 0
  /** How many calls there are of each protocol; with a filter that reads late, only after `lines`. */
  readonly byProtocol: Record<string, number> = {}
  readonly #resolver: Resolver
  readonly #filter: Filter
  /** The filter reads what is known only at the end. */
  readonly #filterLate: boolean
  readonly #shape: CallShape
  readonly #texts = new Spool()
  readonly #times: number[] = []
  readonly #protocols: string[] = []
  readonly #services: string[] = []
  readonly #flowOf: number[] = []
  readonly #openFlows = new Map<number, number>()
  readonly #metrics: (number | undefined)[] = []
  readonly #metricTexts = new Spool(16 << 20)
  readonly #handshakes = new Handshakes()

  constructor(resolver: Resolver, filter: Filter, shape: CallShape) {
    this.#resolver = resolver
    this.#filter = filter
    this.#filterLate = filter.paths.some((path) => path === 'tcp' || /^tcp(\.|_handshake)/.test(path))
    this.#shape = this.#filterLate ? 'full' : shape
  }

  addCall(call: Call): void {
    const { flow, side } = call
    const src = this.#peer(flow, side, call.start)
    const dst = this.#peer(flow, side === 0 ? 1 : 0, call.start)
    const record = toCallRecord(call, { src, dst }, fromFile, fromFile)
    if (!this.#filterLate && !this.#filter.matches(record)) return
    if (!this.#filterLate) this.#count(record.proto)
    if (this.#shape === 'none') return
    this.#texts.put(JSON.stringify(this.#shape === 'full' ? withoutLate(record) : record.compact()))
    this.#times.push(record.ts)
    this.#protocols.push(record.proto)
    this.#services.push(serviceOf(dst))
    this.#flowOf.push(this.#slotOf(flow))
  }

  addFlow(flow: Flow): void {
    this.flows++
    const handshake = flow.tcp?.handshake_us
    if (handshake !== undefined) this.#handshakes.add(serviceOf(this.#peer(flow, 1, flow.start)), handshake)
    const slot = this.#openFlows.get(flow.id)
    if (slot === undefined) return
    this.#openFlows.delete(flow.id)
    if (flow.tcp !== undefined) this.#metrics[slot] = this.#metricTexts.put(JSON.stringify(flow.tcp))
  }

  /** Calls in order of request time, each as one line of JSON. */
  *lines(): Generator<string> {
    const percentiles = this.#handshakes.percentiles()
    const order = Uint32Array.from(this.#times.keys()).sort(
      (a, b) => this.#times[a]! - this.#times[b]! || a - b,
    )
    for (const number of order) {
      const late = { ...percentiles.get(this.#services[number]!) }
      const metrics = this.#metrics[this.#flowOf[number]!]
      const proto = this.#protocols[number]!
      let line = this.#texts.get(number)
      if (this.#shape === 'full') {
        if (metrics !== undefined && proto !== 'tcp')
          line = join(line, `"tcp":${this.#metricTexts.get(metrics)}`)
        for (const [name, value] of Object.entries(late)) line = join(line, `"${name}":${value}`)
        if (this.#filterLate && !this.#filter.matches(JSON.parse(line) as object)) continue
      }
      if (this.#filterLate) this.#count(proto)
      yield line
    }
  }

  close(): void {
    this.#texts.close()
    this.#metricTexts.close()
  }

  #count(proto: string): void {
    this.byProtocol[proto] = (this.byProtocol[proto] ?? 0) + 1
  }

  #peer(flow: Flow, side: 0 | 1, time: number): Endpoint {
    const { ip, port } = flow.ends[side]
    return { ip, port, ...this.#resolver.resolve(ip, port, time / 1000) }
  }

  #slotOf(flow: Flow): number {
    let slot = this.#openFlows.get(flow.id)
    if (slot === undefined) {
      slot = this.#metrics.push(undefined) - 1
      this.#openFlows.set(flow.id, slot)
    }
    return slot
  }
}

/** A flow that nobody recognised is over when its call is made, and says more there than its measurements. */
function withoutLate(record: CallRecord): object {
  const full = record.toJSON()
  return record.proto === 'tcp' ? full : Object.assign(full, { tcp: undefined })
}

function serviceOf({ ns, svc, ip, port }: Endpoint): string {
  return svc === undefined ? `${ip}:${port}` : `${ns}/${svc}`
}

function join(object: string, member: string): string {
  return `${object.slice(0, -1)},${member}}`
}
