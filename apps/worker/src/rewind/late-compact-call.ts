import { type Call, type CallRecord, type CompactCall, deliveryOf } from '@tapdeck/dissect'
import type { Address, Flow } from '@tapdeck/wire'

/** The compact form of a call, without its messages. It learns what becomes known of its flow until it is shown. */
export class LateCompactCall {
  readonly #call: CompactCall
  readonly #flow: Flow
  readonly #from: Address

  constructor(record: CallRecord, { flow, side }: Call) {
    this.#call = record.compact()
    this.#flow = flow
    this.#from = flow.ends[side]
  }

  compact(): CompactCall {
    const flow = this.#flow
    const delivery = deliveryOf(this.#call, flow, flow.ends[0] === this.#from ? 0 : 1)
    return delivery === undefined ? this.#call : { ...this.#call, delivery }
  }
}
