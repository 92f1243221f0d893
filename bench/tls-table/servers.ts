import { once } from 'node:events'
import { Agent, get } from 'node:https'
import { createServer } from 'node:net'
import type { Stage, Version } from './stage.ts'
import type { Exchange } from './target.ts'

/** A port that is free now, for servers that cannot choose one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Requests of this process, which is no target, to an HTTPS server that is one. */
export function requestsTo(stage: Stage, port: number, version: Version): Exchange {
  const limits = { minVersion: `TLSv${version}`, maxVersion: `TLSv${version}` } as const
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  stage.onStop(() => agent.destroy())
  const send = async (marker: string, by: Agent | false) => {
    const options = { port, path: `/${marker}`, host: '127.0.0.1', rejectUnauthorized: false, agent: by }
    const [response] = await once(get({ ...options, ...limits }), 'response')
    await once(response.resume(), 'end')
  }
  return {
    port,
    async each(markers) {
      for (const marker of markers) await send(marker, false)
    },
    async together(markers) {
      for (const marker of markers) await send(marker, agent)
    },
  }
}
