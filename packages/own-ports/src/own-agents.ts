import { Agent as HttpAgent } from 'node:http'
import { type AgentOptions, Agent as HttpsAgent } from 'node:https'
import type { NetConnectOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PortRange } from '@tapdeck/units'
import { type Created, connectForAgent, heard } from './connect-for-agent.ts'
import { PortTurn } from './port-turn.ts'

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
  const http = new OwnHttpAgent(turn, all)
  const https = new OwnHttpsAgent(turn, all)
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

const ignore: Created = () => {}

class OwnHttpAgent extends HttpAgent {
  readonly #turn: PortTurn | undefined

  constructor(turn: PortTurn | undefined, options: AgentOptions) {
    super(options)
    this.#turn = turn
  }

  override createConnection(options: object, created = ignore): Duplex | undefined {
    if (this.#turn === undefined) return heard(super.createConnection(options as NetConnectOpts)!)
    void connectForAgent(this, this.#turn.next(), options, heard, created)
    return undefined
  }
}

class OwnHttpsAgent extends HttpsAgent {
  readonly #turn: PortTurn | undefined

  constructor(turn: PortTurn | undefined, options: AgentOptions) {
    super(options)
    this.#turn = turn
  }

  override createConnection(options: object, created = ignore): Duplex | undefined {
    const secured = (inside: { readonly socket?: Socket }) =>
      heard(super.createConnection({ ...options, ...inside } as AgentOptions)!)
    if (this.#turn === undefined) return secured({})
    void connectForAgent(this, this.#turn.next(), options, (socket) => secured({ socket }), created)
    return undefined
  }
}
