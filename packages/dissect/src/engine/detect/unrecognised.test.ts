import { Conversation } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

function failuresOf(talk: Conversation): readonly unknown[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  talk.feed(dissection)
  dissection.end()
  return calls.map(({ protocol, summary }) => [protocol, summary.failure])
}

const SECOND = 1_000_000
const SYN = 2
const ISN = 1000

it('reports a connection whose SYN was repeated and never answered', () => {
  const talk = new Conversation().segment(0, SYN).wait(SECOND).segment(0, SYN, '', ISN)
  expect(failuresOf(talk.wait(2 * SECOND).segment(0, SYN, '', ISN))).toEqual([['tcp', 'no_response']])
})

it('reports nothing while an answer may still come, or after it came', () => {
  expect(failuresOf(new Conversation().segment(0, SYN))).toEqual([])
  const late = new Conversation().segment(0, SYN).wait(SECOND).segment(0, SYN, '', ISN)
  expect(failuresOf(late.segment(1, SYN | 16).segment(0, 16))).toEqual([])
})
