import type { Side } from '@tapdeck/wire'
import type { Connection } from '../../contract/dissector.ts'
import { draftMessage, type Message } from '../../contract/message.ts'
import { probe } from './probe.ts'
import { statusAt } from './start-line.ts'

const LF = 0x0a

/**
 * Of a head that lost its end (to the snap length, a lost packet or a peer that gave up) the lines that came whole: the first
 * of them says what was asked for, or how that ended. How long its body is, is not known then.
 */
export function cutHead(rest: Uint8Array, side: Side, copy: Connection['copy']): Message | undefined {
  const end = rest.lastIndexOf(LF) + 1
  if (end === 0 || probe(rest, 0, end, side) !== 'yes') return undefined
  const head = copy(rest, 0, end)
  const status = side === 0 ? undefined : statusAt(head, 0)
  if (status !== undefined && status < 200) return undefined
  const message = draftMessage(side === 0 ? 'request' : 'response', head)
  message.fields = { head_cut: true }
  message.truncated = true
  return message
}
