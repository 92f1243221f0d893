import { protocolNamed } from '@tapdeck/dissect'
import { createResolver, type Inventory } from '@tapdeck/inventory'
import { DissectionSeries } from '@tapdeck/parallel'
import type { Loss, Shard } from '@tapdeck/wire'
import { CallPress, type CallShape, type DeliverSheaf } from './call-press.ts'
import { compileFilter } from './filter-option.ts'

/** What calls are wanted, and how. Plain data: it is handed to threads. */
export interface DissectSettings {
  readonly inventory: Inventory
  readonly kfl: string
  /** When the command was given, in Unix milliseconds: what a filter takes for now. */
  readonly now: number
  readonly shape: CallShape
}

/** What is known once all is read. */
export interface DissectCounts {
  readonly flows: number
  readonly byProtocol: Readonly<Record<string, number>>
  readonly loss: Loss
}

export interface DissectListener {
  readonly sheaf: DeliverSheaf
  fault(protocol: string, error: string): void
}

/** Packets → lines of calls: all of them, or those of a shard. */
export class DissectWork extends DissectionSeries {
  readonly #press: CallPress

  constructor(settings: DissectSettings, listener: DissectListener, shard?: Shard) {
    const press = new CallPress(
      {
        resolver: createResolver(settings.inventory),
        filter: compileFilter(settings.kfl, settings.now),
        shape: settings.shape,
      },
      listener.sheaf,
    )
    super(
      {
        emit: (call) => press.addCall(call),
        flow: (flow) => press.addFlow(flow),
        fault: (error, protocol) => listener.fault(protocolNamed(protocol)?.title ?? protocol, String(error)),
      },
      shard,
    )
    this.#press = press
  }

  finish(): DissectCounts {
    this.end()
    this.#press.handOver()
    const { flows, byProtocol } = this.#press
    return { flows, byProtocol, loss: this.loss }
  }
}
