import type { Dissector } from '../dissector.ts'

/**
 * What is kept of a flow of datagrams between one exchange and the next, where its protocol needs no more. A lookup of a name
 * has a flow of its own, and thousands of them are remembered for late packets: this is what each costs.
 */
export class RestedFlow {
  readonly protocol: Dissector
  readonly protocols: readonly string[]
  readonly spoken: readonly string[]
  readonly turned: boolean
  readonly ordinal: number

  constructor(
    protocol: Dissector,
    protocols: readonly string[],
    spoken: readonly string[],
    turned: boolean,
    ordinal: number,
  ) {
    this.protocol = protocol
    this.protocols = protocols
    this.spoken = spoken
    this.turned = turned
    this.ordinal = ordinal
  }
}
