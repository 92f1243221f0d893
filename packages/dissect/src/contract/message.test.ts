import { expect, test } from 'vitest'
import { draftMessage, type MessageDraft, redraft } from './message.ts'

test('redraft copies every member of a message', () => {
  const parts: Required<MessageDraft> = {
    kind: 'response',
    from: 1,
    key: 7,
    protocol: 'grpc',
    head: Uint8Array.of(1),
    body: Uint8Array.of(2),
    bodySize: 3,
    truncated: true,
    marks: 4,
    fields: { a: 1 },
    more: true,
    start: 5,
    end: 6,
    size: 8,
  }
  expect(redraft(parts)).toStrictEqual(parts)
  expect(Object.keys(redraft(parts))).toEqual(Object.keys(draftMessage('event')))
})
