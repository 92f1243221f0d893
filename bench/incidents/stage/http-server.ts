import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { HTTP_PORT } from './http-client.ts'
import type { Stage, StagePod } from './stage.ts'

export interface HttpReply {
  readonly status?: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Respond = (path: string, request: IncomingMessage, pod: StagePod) => Promise<HttpReply>

/** A server for each pod of a service. What a handler throws becomes 502, as of a service whose dependency failed. */
export async function serveHttp(stage: Stage, service: string, respond: Respond): Promise<readonly Server[]> {
  return Promise.all(
    stage.podsOf(service).map(async (pod) => {
      const server = createServer((request, response) => {
        request.resume()
        request.once('end', async () => {
          const reply = await respond(request.url ?? '/', request, pod).catch(
            (error: Error): HttpReply => ({ status: 502, body: JSON.stringify({ error: error.message }) }),
          )
          const { status = 200, body = '{"ok":true}', headers = {} } = reply
          response.writeHead(status, {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            ...headers,
          })
          response.end(body)
        })
      })
      server.keepAliveTimeout = 60_000
      server.listen(HTTP_PORT, pod.ip)
      await once(server, 'listening')
      return server
    }),
  )
}
