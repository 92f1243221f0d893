import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import type { Answer, Outgoing } from './outgoing.ts'
import type { DemoPod } from './shop.ts'

/** Connections end after so many requests, so that handshakes go on being seen. */
const requestsPerConnection = 25
const mostBody = 64 * 1024

export async function startHttpService(pod: DemoPod, behave: Behaviour, others: Outgoing): Promise<Server> {
  const server = createServer((request, response) => {
    void answer(request, behave, others).then(({ status, body }) => {
      const text = JSON.stringify(body ?? {})
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        server: pod.service,
      })
      response.end(text)
    })
  })
  server.maxRequestsPerSocket = requestsPerConnection
  server.listen(pod.port, pod.ip)
  await once(server, 'listening')
  return server
}

async function answer(request: IncomingMessage, behave: Behaviour, others: Outgoing): Promise<Answer> {
  try {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk
      if (text.length > mostBody) return { status: 413, body: { error: 'too large' } }
    }
    const path = (request.url ?? '/').split('?')[0]!
    return await behave({ method: request.method ?? 'GET', path, body: text && JSON.parse(text) }, others)
  } catch (error) {
    return { status: 502, body: { error: error instanceof Error ? error.message : String(error) } }
  }
}
