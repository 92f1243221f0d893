import { Agent, request } from 'node:http'
import type { ExpensiveRequest } from '../../apps/hub/src/testing/expensive/expensive-requests.ts'

/** Sends one request from so many clients at once, each over its own connection, and says when all have their answer. */
export interface Order {
  readonly port: number
  readonly clients: number
  readonly rounds: number
  readonly request: ExpensiveRequest
}

const agents: Agent[] = []

process.on('message', async (order: Order) => {
  while (agents.length < order.clients) agents.push(new Agent({ keepAlive: true, maxSockets: 1 }))
  for (let round = 0; round < order.rounds; round++)
    await Promise.all(agents.slice(0, order.clients).map((agent) => send(agent, order)))
  process.send?.('done')
})

function send(agent: Agent, { port, request: { method, path, headers, body } }: Order): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(
      { agent, host: '127.0.0.1', port, method, path, headers: { ...headers } },
      (answer) => {
        answer.resume().on('close', resolve)
      },
    )
    // A refused head closes the connection: that is an answer too.
    sent.on('error', () => resolve())
    sent.end(body)
  })
}
