import { Conversation, feed } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { Dissection } from '../dissection.ts'
import { ConnectionViews } from './connection-views.ts'

test('a connection that is over is forgotten', () => {
  const views = new ConnectionViews()
  let most = 0
  const dissection = new Dissection({
    opened: (flow) => views.opened(flow),
    emit(call) {
      views.of(call.flow)
      most = Math.max(most, views.size)
    },
    flow: (flow) => views.closed(flow),
  })
  const packets = Array.from({ length: 50 }, (_, number) => {
    const isns = { clientIsn: 0x10203040 + number * 977, serverIsn: 0x50607080 + number * 733 }
    const start = 1_700_000_000_000_000 + number * 1_000_000
    return new Conversation({ ...isns, start, clientPort: 40_000 + number })
      .handshake()
      .send(0, 'GET /a HTTP/1.1\r\nHost: orders\r\n\r\n')
      .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
      .close().packets
  }).flat()
  feed(dissection, packets)
  dissection.end()
  expect(most).toBeGreaterThan(0)
  expect(views.size).toBe(0)
})
