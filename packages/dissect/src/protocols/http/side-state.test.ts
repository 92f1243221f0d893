import { Conversation, feed } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import { redraft } from '../../contract/message.ts'
import { Dissection } from '../../dissection.ts'

/** Heads and bodies that each end in the middle of a packet, chunks, a 1xx, an ambiguous length. */
function speak(number: number): Conversation {
  return new Conversation({ clientPort: 5000 + number, segmentSize: 7 + number, start: 1e15 + number })
    .handshake()
    .send(0, `POST /${number} HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nbody`)
    .send(1, 'HTTP/1.1 100 Continue\r\n\r\n')
    .send(1, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: 1\r\n\r\n')
    .send(0, `GET /${number}/next HTTP/1.1\r\n\r\n`)
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    .close()
}

it('of many connections at once is that of each alone', () => {
  const said = (talks: readonly Conversation[]): string[] => {
    const calls: string[] = []
    const dissection = new Dissection({
      emit: ({ request, response, summary: { path, status } }) =>
        calls.push(
          JSON.stringify([path, status, request && redraft(request), response && redraft(response)]),
        ),
    })
    const packets = talks.flatMap(({ packets }) => packets)
    feed(
      dissection,
      packets.sort((one, other) => one.time - other.time),
    )
    dissection.end()
    return calls.sort()
  }
  const talks = Array.from({ length: 20 }, (_, number) => speak(number))
  const together = said(talks)
  expect(together).toHaveLength(40)
  expect(together).toEqual(talks.flatMap((talk) => said([talk])).sort())
})
