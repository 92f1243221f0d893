import { expect, it } from 'vitest'
import { readMessages, writeMessage } from './toolbar.ts'

const messages = [
  { control: 0, command: 1, value: 'response.status >= 500' },
  { control: 0, command: 0, value: '' },
  { control: 1, command: 2, value: 'naïve\n' },
]

it('reads messages however they are cut', () => {
  const bytes = Buffer.concat(messages.map(writeMessage))
  for (let cut = 0; cut <= bytes.length; cut++) {
    const first = readMessages(bytes.subarray(0, cut))
    const second = readMessages(Buffer.concat([first.rest, bytes.subarray(cut)]))
    expect([...first.messages, ...second.messages]).toEqual(messages)
  }
})

it('skips bytes that begin no message', () => {
  const bytes = Buffer.concat([Buffer.from('TTx'), writeMessage(messages[0]!)])
  expect(readMessages(bytes).messages).toEqual([messages[0]])
})
