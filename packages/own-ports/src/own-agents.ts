import { randomInt } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import type { NetConnectOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PortRange } from '@tapdeck/units'
import { connectFrom } from './connect-from.ts'

/** Agents of Node.js for connections that workers recognize as Tapdeck's own by their source ports, and do not record. */
export interface OwnAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
  /** The one for this address. */
  of(url: string): HttpAgent
  /** Closes all connections. */
  destroy(): void
}

/** Without a range, connections have any ports. */
export function ownAgents(range: PortRange | undefined, options: AgentOptions = {}): OwnAgents {
  const all = { keepAlive: true, ...options }
  const turn = range && new PortTurn(range)
  const http = turn ? new OwnHttpAgent(turn, all) : new HttpAgent(all)
  const https = turn ? new OwnHttpsAgent(turn, all) : new HttpsAgent(all)
  return {
    http,
    https,
    of: (url) => (url.startsWith('https:') ? https : http),
    destroy() {
      http.destroy()
      https.destroy()
    },
  }
}

type Created = (error: Error | null, stream: Duplex) => void

class OwnHttpAgent extends HttpAgent {
  readonly #turn: PortTurn

  constructor(turn: PortTurn, options: AgentOptions) {
    super(options)
    this.#turn = turn
  }

  override createConnection(options: object, created?: Created): undefined {
    this.#turn.connect(options, (socket) => socket, created)
  }
}

class OwnHttpsAgent extends HttpsAgent {
  readonly #turn: PortTurn

  constructor(turn: PortTurn, options: AgentOptions) {
    super(options)
    this.#turn = turn
  }

  override createConnection(options: object, created?: Created): undefined {
    const inside = (socket: Socket) => super.createConnection({ ...options, socket } as AgentOptions)!
    this.#turn.connect(options, inside, created)
  }
}

/**
 * Each connection begins with another port: one that was used a moment ago cannot be used again with the same server. Processes
 * begin anywhere, because those behind one address translation share its ports.
 */
class PortTurn {
  readonly #ports: readonly number[]
  #at: number

  constructor({ first, last }: PortRange) {
    this.#ports = Array.from({ length: last - first + 1 }, (_, at) => first + at)
    this.#at = randomInt(this.#ports.length)
  }

  connect(options: object, wrap: (socket: Socket) => Duplex, created: Created = () => {}): void {
    this.#at = (this.#at + 1) % this.#ports.length
    const inOrder = [...this.#ports.slice(this.#at), ...this.#ports.slice(0, this.#at)]
    connectFrom(inOrder, options as NetConnectOpts).then(
      (socket) => created(null, wrap(socket)),
      // There is no connection then, whatever the type of the callback says.
      (error) => (created as (error: Error) => void)(error),
    )
  }
}
