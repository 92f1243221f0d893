import type { Compared, OurMessage, TheirMessage } from './message.ts'
import type { Ours } from './ours.ts'
import type { Shown, ShownPacket } from './pdml.ts'

/** One thing that both sides say of a message. */
export interface MappedField {
  /** Which message has it. An event is asked like a request. */
  readonly on: 'request' | 'response'
  /** tshark's name of it, or how it is found in its layers. */
  readonly theirs: string | ((nodes: readonly Shown[]) => Compared)
  /** Its path in the full call, or how it is made of it. */
  readonly ours: string | ((message: OurMessage) => Compared)
}

/** How one protocol of tshark is laid beside ours. */
export interface Mapping {
  /** Our name of it. */
  readonly protocol: string
  /** tshark's name of it, for ports that it does not know. */
  readonly dissector: string
  /** The messages that tshark shows. */
  read(packets: readonly ShownPacket[]): readonly TheirMessage[]
  /** Our messages, where they are no messages of calls. */
  readonly ours?: (ours: Ours) => readonly OurMessage[]
  /** The protocols of our calls, where that is not just `protocol`. */
  readonly speaks?: readonly string[]
  /** Which of our messages are among them; default: all. */
  readonly takes?: (message: OurMessage) => boolean
  /** Tells messages of one packet apart where their order does not. */
  readonly key?: (message: OurMessage) => string
  /** Messages are laid side by side by their order on each side of a flow, where one is complete later than the other. */
  readonly inOrder?: boolean
  readonly fields: Readonly<Record<string, MappedField>>
}
