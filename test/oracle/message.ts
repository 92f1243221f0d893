import type { FullCall } from '@tapdeck/dissect'
import type { Shown } from './pdml.ts'

/** What is compared: texts, or lists of them. Absent on both sides is no comparison. */
export type Compared = string | readonly string[] | undefined

/** One message, request, response or event, of either tool. */
interface ComparedMessage {
  /** Both ends of its flow, in a fixed order. */
  readonly flow: string
  /** The end that said it. */
  readonly from: string
  /** Time of the packet that completed it, microseconds. */
  readonly time: number
  /** What tells messages of one packet apart, where their order does not. */
  readonly key?: string
}

/** A message as tshark shows it: one of its layers, or several that are one message to us. */
export interface TheirMessage extends ComparedMessage {
  readonly nodes: readonly Shown[]
  /** Where tshark says to which request this is the response: the time of that request's packet. */
  readonly asked?: number
}

/** A message as we show it: a message of a call. */
export interface OurMessage extends ComparedMessage {
  readonly call: FullCall
  readonly is: 'request' | 'response' | 'event'
  /** Of a response: the time at which its request was complete. */
  readonly asked?: number
}

export function flowOf(transport: string, one: string, other: string): string {
  return `${transport} ${[one, other].sort().join(' ')}`
}
