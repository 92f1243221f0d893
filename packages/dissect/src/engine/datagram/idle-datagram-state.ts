import type { DatagramReader, Dissector } from '../../contract/dissector.ts'

/** The members that a state is compared by. */
type Known = Pick<IdleDatagramState, 'ordinal' | 'protocols' | 'protocolsSeen'> & {
  readonly protocol: Dissector | undefined
  readonly read: DatagramReader | undefined
}

/** The state of a datagram flow without pending requests, shared by all flows with the same number of calls. */
export class IdleDatagramState {
  readonly protocol: Dissector
  readonly read: DatagramReader
  readonly protocols: readonly string[]
  readonly protocolsSeen: readonly string[]
  readonly ordinal: number
  /** The state after one more call. */
  next: IdleDatagramState | undefined

  constructor(
    protocol: Dissector,
    read: DatagramReader,
    protocols: readonly string[],
    protocolsSeen: readonly string[],
    ordinal: number,
  ) {
    this.protocol = protocol
    this.read = read
    this.protocols = protocols
    this.protocolsSeen = protocolsSeen
    this.ordinal = ordinal
    this.next = undefined
  }

  is({ protocol, read, protocols, protocolsSeen, ordinal }: Known): boolean {
    return (
      this.ordinal === ordinal &&
      this.protocol === protocol &&
      this.read === read &&
      this.protocols === protocols &&
      this.protocolsSeen === protocolsSeen
    )
  }
}
