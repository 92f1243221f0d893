import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { maxLinkMessage, messageLimits, Problem } from '@tapdeck/api'
import { isWorkerCredential, provenNode } from '@tapdeck/api/credentials'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Access } from '../access/access.ts'
import type { ReviewedWorker, ReviewedWorkers } from '../access/reviewed-workers.ts'
import type { Log } from '../log.ts'
import { version } from '../version.ts'
import { RenewedTokens } from './renewed-tokens.ts'
import { Worker } from './worker.ts'
import { parseWorkerMessage } from './worker-message.ts'
import type { Workers } from './workers.ts'

const HELLO_WITHIN = 10_000
const PING_EVERY = 5_000
const DEAD_AFTER = 15_000

/** What a credential is good for. With `token`, it is one of a service account, and was accepted as `reviewed` says. */
interface Proof {
  readonly node: string
  /** Unix seconds. The connection ends then. */
  readonly until?: number
  readonly token?: string
  readonly reviewed?: ReviewedWorker
}

/**
 * Where workers come in. Each proves itself by a credential of its own, good for its own node: one that was made of the
 * hub's secret, or the token of its service account in the cluster. It is valid for this link and nothing else.
 */
export class LinkServer {
  readonly #workers: Workers
  readonly #secret: string
  readonly #access: Access
  readonly #reviewed: ReviewedWorkers
  readonly #renewed: RenewedTokens
  readonly #log: Log
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxLinkMessage,
    perMessageDeflate: false,
  })

  constructor(workers: Workers, secret: string, access: Access, reviewed: ReviewedWorkers, log: Log) {
    this.#workers = workers
    this.#secret = secret
    this.#access = access
    this.#reviewed = reviewed
    this.#renewed = new RenewedTokens(reviewed, log)
    this.#log = log
  }

  /** Throws a `Problem` where the caller is no worker of ours. */
  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    const from = request.socket.remoteAddress ?? ''
    const proof = given === undefined ? undefined : await this.#prove(given, from)
    if (proof === undefined) {
      if (this.#access.failures.failed(from, Date.now()))
        this.#log.warn({ from }, 'rejected a worker: invalid credential')
      throw new Problem(401, 'bad_credential', 'The worker credential is missing or invalid')
    }
    this.#sockets.handleUpgrade(request, socket, head, (link) => this.#welcome(link, socket, proof))
  }

  /** The node that a credential is good for. */
  async #prove(credential: string, from: string): Promise<Proof | undefined> {
    const own = provenNode(this.#secret, credential, Date.now())
    if (own !== undefined) return own
    if (isWorkerCredential(credential) || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)) return undefined
    this.#access.failures.admit(from, Date.now())
    const reviewed = await this.#reviewed.prove(credential)
    if (reviewed?.fromMemory)
      this.#log.warn(
        { node: reviewed.node },
        'the API server does not answer; let a worker in by a token that was reviewed before',
      )
    return reviewed && { node: reviewed.node, token: credential, reviewed }
  }

  close(): void {
    this.#renewed.close()
    for (const worker of this.#workers.connected) this.#workers.leave(worker)
    for (const link of this.#sockets.clients) link.terminate()
    this.#sockets.close()
  }

  #welcome(link: WebSocket, socket: Duplex, { node, until, token, reviewed }: Proof): void {
    let worker: Worker | undefined
    let unread = 0
    // The limit of the WebSocket is one for all messages, and holds them in memory until they are whole.
    const limitHello = (chunk: Buffer) => {
      unread += chunk.length
      if (unread <= messageLimits.hello) return
      this.#log.warn(
        { node, limit: messageLimits.hello },
        'rejected a worker: its first message is too large',
      )
      link.terminate()
    }
    socket.on('data', limitHello)
    let alive = performance.now()
    const tooLate = setTimeout(() => link.terminate(), HELLO_WITHIN)
    const ping = setInterval(() => {
      if (performance.now() - alive > DEAD_AFTER) link.terminate()
      else link.ping()
    }, PING_EVERY)
    const expiry =
      until === undefined ? undefined : setTimeout(() => link.close(1008), until * 1000 - Date.now())
    link.on('pong', () => {
      alive = performance.now()
    })
    link.on('message', (data: Buffer, isBinary) => {
      alive = performance.now()
      if (isBinary) {
        worker?.piece(data)
        return
      }
      const answerLimit = (id: number) => worker?.answerLimit(id) ?? 0
      const message = parseWorkerMessage(data, { node, answerLimit })
      if (message?.kind === 'too_large' && worker) {
        worker.refuse(message.id, data.length)
        return
      }
      if (
        message === undefined ||
        message.kind === 'too_large' ||
        (worker === undefined) !== (message.kind === 'hello')
      ) {
        this.#log.warn(
          { node: worker?.node, text: data.subarray(0, 200).toString() },
          'invalid message from a worker',
        )
        link.close(1002)
      } else if (message.kind === 'hello') {
        clearTimeout(tooLate)
        socket.off('data', limitHello)
        if (message.node !== node) {
          this.#log.warn(
            { node, said: message.node },
            'rejected a worker: its node name is not the one in its token',
          )
          link.close(1008)
          return
        }
        worker = new Worker(message, link)
        this.#log.info({ node: worker.node, version: worker.version }, 'worker connected')
        if (worker.version !== version)
          this.#log.warn(
            { node: worker.node, version: worker.version, hub: version },
            'worker of another version: its answers may be less exact; update it to the version of the hub',
          )
        if (reviewed) this.#renewed.follow(worker, reviewed.fromMemory ? token : undefined)
        this.#workers.join(worker)
      } else if (worker) this.#workers.take(worker, message)
    })
    link.on('error', (error) =>
      this.#log.warn({ node: worker?.node, err: error }, 'connection to a worker failed'),
    )
    link.on('close', () => {
      clearTimeout(tooLate)
      clearTimeout(expiry)
      clearInterval(ping)
      if (worker === undefined) return
      this.#log.info({ node: worker.node }, 'worker disconnected')
      this.#workers.leave(worker)
    })
  }
}
