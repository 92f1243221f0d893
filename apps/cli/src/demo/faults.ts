import { setTimeout as sleep } from 'node:timers/promises'
import type { Behaviour } from './behaviour.ts'
import { type DemoPod, shop } from './shop.ts'

/** One way in which the shop breaks. */
export interface DemoFault {
  /** For the help of the command. */
  readonly doc: string
  readonly pods: readonly DemoPod[]
  /** What these pods do instead. Absent: they listen no more. */
  readonly instead?: (healthy: Behaviour) => Behaviour
}

const chance = (share: number) => Math.random() < share

/** THE list of faults; the first is the default. */
export const demoFaults = {
  deadlock: {
    doc: 'a quarter of the reservations fail',
    pods: shop.inventory,
    instead: (healthy) => async (asked, others) => {
      const answer = await healthy(asked, others)
      return chance(0.25) ? { status: 500, body: { error: 'deadlock detected', retry: true } } : answer
    },
  },
  slow: {
    doc: 'pricing takes 0.8 s longer',
    pods: shop.pricing,
    instead: (healthy) => async (asked, others) => {
      await sleep(800)
      return healthy(asked, others)
    },
  },
  pod: {
    doc: 'a pod fails half of its calls',
    pods: [shop.catalog[1]],
    instead: (healthy) => (asked, others) =>
      chance(0.5) ? { status: 503, body: { error: 'index not loaded' } } : healthy(asked, others),
  },
  refused: { doc: 'payments listens no more', pods: shop.payments },
} as const satisfies Record<string, DemoFault>

export type DemoFaultName = keyof typeof demoFaults
export const demoFaultNames = Object.keys(demoFaults) as readonly DemoFaultName[]

/** Healthy until it is thrown; then the fault is there. */
export class FaultSwitch {
  readonly fault: DemoFault
  #isThrown = false
  readonly #closers: (() => void)[] = []

  constructor(name: DemoFaultName) {
    this.fault = demoFaults[name]
  }

  /** What a pod does, now and after the switch is thrown. */
  behaviour(pod: DemoPod, healthy: Behaviour): Behaviour {
    const broken = this.fault.pods.includes(pod) ? this.fault.instead?.(healthy) : undefined
    return (asked, others) => (this.#isThrown && broken ? broken : healthy)(asked, others)
  }

  /** Registers what ends the listening of a pod. */
  onThrow(pod: DemoPod, stopListening: () => void): void {
    if (this.fault.instead === undefined && this.fault.pods.includes(pod)) this.#closers.push(stopListening)
  }

  throw(): void {
    this.#isThrown = true
    for (const close of this.#closers) close()
  }
}
