import { randomInt } from 'node:crypto'
import type { PortRange } from '@tapdeck/units'

/** The ports of a range in turns. Each process begins anywhere, because those behind one address translation share its ports. */
export class PortTurn {
  readonly #ports: readonly number[]
  #at: number

  constructor({ first, last }: PortRange) {
    this.#ports = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    this.#at = randomInt(this.#ports.length)
  }

  /** All ports, in the order in which to try them for the next connection. */
  next(): readonly number[] {
    this.#at = (this.#at + 1) % this.#ports.length
    return [...this.#ports.slice(this.#at), ...this.#ports.slice(0, this.#at)]
  }
}
