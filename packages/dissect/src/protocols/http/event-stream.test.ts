import { expect, it } from 'vitest'
import { readEventStream } from './event-stream.ts'

it('counts events that have data, whatever ends their lines', () => {
  expect(
    readEventStream(
      'event: a\r\ndata: 1\r\n\r\n: ping\r\n\r\nid: 7\rdata\r\rdata:x\ndata:y\n\nevent: b\n\ndata: cut',
    ),
  ).toEqual({
    events: 3,
    event_types: ['a'],
    last_event_id: '7',
  })
  expect(readEventStream('')).toEqual({ events: 0 })
})
