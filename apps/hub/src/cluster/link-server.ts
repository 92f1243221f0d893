import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem } from '@tapdeck/api'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Log } from '../log.ts'
import { Worker } from './worker.ts'
import { parseWorkerMessage } from './worker-message.ts'
import type { Workers } from './workers.ts'

/** A page of full calls with their bodies is the largest thing a worker says in one message. */
const MAX_MESSAGE = 64 * 1024 * 1024
const HELLO_WITHIN = 10_000
const PING_EVERY = 5_000
const DEAD_AFTER = 15_000

/** Where workers come in. The worker credential opens this door and nothing else. */
export class LinkServer {
  readonly #workers: Workers
  readonly #credential: Buffer
  readonly #log: Log
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
  })

  constructor(workers: Workers, credential: string, log: Log) {
    this.#workers = workers
    this.#credential = digest(credential)
    this.#log = log
  }

  /** Throws a `Problem` where the caller is no worker of ours. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given === undefined || !timingSafeEqual(digest(given), this.#credential)) {
      this.#log.warn({ from: request.socket.remoteAddress }, 'a worker came with a wrong credential')
      throw new Problem(401, 'bad_credential', 'the worker credential is missing or wrong')
    }
    this.#sockets.handleUpgrade(request, socket, head, (link) => this.#welcome(link))
  }

  close(): void {
    for (const worker of this.#workers.connected) this.#workers.leave(worker)
    for (const link of this.#sockets.clients) link.terminate()
    this.#sockets.close()
  }

  #welcome(link: WebSocket): void {
    let worker: Worker | undefined
    let alive = performance.now()
    const tooLate = setTimeout(() => link.terminate(), HELLO_WITHIN)
    const ping = setInterval(() => {
      if (performance.now() - alive > DEAD_AFTER) link.terminate()
      else link.ping()
    }, PING_EVERY)
    link.on('pong', () => {
      alive = performance.now()
    })
    link.on('message', (data: Buffer, isBinary) => {
      alive = performance.now()
      if (isBinary) {
        worker?.piece(data)
        return
      }
      const message = parseWorkerMessage(data.toString())
      if (message === undefined || (worker === undefined) !== (message.kind === 'hello')) {
        this.#log.warn(
          { node: worker?.node, text: data.subarray(0, 200).toString() },
          'a worker says nonsense',
        )
        link.close(1002)
      } else if (message.kind === 'hello') {
        clearTimeout(tooLate)
        worker = new Worker(message, link)
        this.#log.info({ node: worker.node, version: worker.version }, 'a worker joined')
        this.#workers.join(worker)
      } else if (worker) this.#workers.take(worker, message)
    })
    link.on('error', (error) =>
      this.#log.warn({ node: worker?.node, err: error }, 'the link to a worker broke'),
    )
    link.on('close', () => {
      clearTimeout(tooLate)
      clearInterval(ping)
      if (worker === undefined) return
      this.#log.info({ node: worker.node }, 'a worker left')
      this.#workers.leave(worker)
    })
  }
}

/** Digests have one length, so comparing them tells nothing about the credential's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
