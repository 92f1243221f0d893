import type { Agent } from 'node:http'
import { type NetConnectOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectFrom } from './connect-from.ts'

export type Created = (error: Error | null, stream: Duplex) => void

/**
 * Makes a connection for an agent, which gets it later. An agent counts a connection only when it has it, and forgets the requests
 * that wait for one that fails. So another socket has its place meanwhile, and one that failed is handed over as well: it ends with
 * the error when the request listens to it. `wrap` puts TLS around it.
 */
export async function connectForAgent(
  agent: Agent,
  ports: readonly number[],
  options: object,
  wrap: (socket: Socket) => Duplex,
  created: Created,
): Promise<void> {
  const closed = new AbortController()
  const leave = holdPlace(agent, agent.getName(options), () => closed.abort())
  let socket: Socket | undefined
  try {
    socket = await connectFrom(ports, options as NetConnectOpts, closed.signal)
    const stream = wrap(socket)
    leave()
    created(null, stream)
  } catch (error) {
    socket?.destroy()
    leave()
    const failed = heard(Object.assign(new Socket(), { connecting: true }))
    created(null, failed)
    setImmediate(() => failed.destroy(error as Error))
  }
}

/** For a moment between two requests, Node.js listens to no error of a connection. Such an error would end the process. */
export function heard<Stream extends Duplex>(stream: Stream): Stream {
  return stream.on('error', () => {})
}

/** Counts a connection that is being made among those of the agent. Returns how to end that. */
function holdPlace(agent: Agent, name: string, agentClosed: () => void): () => void {
  const place = new Socket()
  place.once('close', agentClosed)
  const sockets = agent.sockets as Record<string, Socket[]>
  sockets[name] = [...(sockets[name] ?? []), place]
  return () => {
    const others = (sockets[name] ?? []).filter((one) => one !== place)
    if (others.length > 0) sockets[name] = others
    else delete sockets[name]
  }
}
