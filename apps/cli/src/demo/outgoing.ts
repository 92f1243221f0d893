import { Agent, type IncomingMessage, request } from 'node:http'
import { lookup } from './name-lookup.ts'
import type { DemoPod, ShopService } from './shop.ts'

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** How one pod calls others: from its own address, over connections it keeps for a while. */
export class Outgoing {
  readonly #pod: DemoPod
  readonly #agent: Agent

  constructor(pod: DemoPod) {
    this.#pod = pod
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, localAddress: pod.ip })
  }

  async call(service: ShopService, method: string, path: string, body?: unknown): Promise<Answer> {
    const { ip, port } = await lookup(this.#pod, service)
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({
        agent: this.#agent,
        host: ip,
        port,
        method,
        path,
        timeout: 10_000,
        headers: {
          host: `${service}.shop`,
          'user-agent': `${this.#pod.service}/1.0`,
          ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }),
        },
      })
      sent.once('response', resolve)
      sent.once('error', reject)
      sent.once('timeout', () => sent.destroy(new Error('timed out')))
      sent.end(bytes)
    })
    let text = ''
    for await (const chunk of message.setEncoding('utf8')) text += chunk
    return { status: message.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) }
  }

  close(): void {
    this.#agent.destroy()
  }
}
