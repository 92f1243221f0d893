import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerRequests } from '@tapdeck/api'
import { type Call, Dissection, type Endpoint, protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import { answerQuestion, BadCursor, type Questions } from '@tapdeck/questions'
import { Conversation, ETHERNET, FLAG, feed } from '@tapdeck/wire/testing'
import type { Answers } from './fake-worker.ts'

/** An HTTP exchange to be seen: when (Unix milliseconds), by which service, and what came of it. */
export interface Exchange {
  readonly at: number
  readonly service: string
  /** The service that calls it; default: front. */
  readonly client?: string
  readonly latency?: number
  readonly status?: number
  readonly path?: string
  /** Addresses of client and server. */
  readonly ends?: readonly [client: string, server: string]
  /** Of both ends; default: shop. */
  readonly ns?: string
  /** The path of a second call on the same connection, which was decrypted. */
  readonly inside?: string
  /** Of the response. */
  readonly headers?: Readonly<Record<string, string>>
  /** The server ends the connection with this flag and does not respond. */
  readonly ending?: 'fin' | 'rst'
}

export interface NamedCall {
  readonly call: Call
  readonly src: Endpoint
  readonly dst: Endpoint
}

/** A true index of a node, with the answers of a worker that has it. */
export class IndexWorker {
  readonly answers: Answers
  readonly #folder: string
  readonly #index: CallIndex

  private constructor(folder: string, index: CallIndex) {
    this.#folder = folder
    this.#index = index
    this.answers = IndexWorker.answersFrom(index)
  }

  /** The answers of a worker that has this index. */
  static answersFrom(index: CallIndex): Answers {
    const catalog = createCatalog(protocols)
    const ask = async <Name extends keyof Questions & keyof WorkerRequests>(name: Name, input: unknown) => {
      try {
        const asked = input as Questions[Name]['input']
        const answer: unknown = await answerQuestion(index, catalog, Date.now(), name, asked)
        return answer as WorkerRequests[Name]['output']
      } catch (error) {
        // As the live thread reports it.
        if (error instanceof BadCursor) throw { status: 400, code: 'bad_cursor', detail: error.message }
        throw error
      }
    }
    return {
      calls: (input) => ask('calls', input),
      call: (input) => ask('call', input),
      count: (input) => ask('count', input),
      stats: (input) => ask('stats', input),
      values: (input) => ask('values', input),
      flows: (input) => ask('flows', input),
      summary: (input) => ask('summary', input),
    }
  }

  static async open(node: string): Promise<IndexWorker> {
    const folder = await mkdtemp(join(tmpdir(), 'tapdeck-index-worker-'))
    const options = { node, captureSource: 'af_packet', maxBytes: 0, memory: 128 * 1024 * 1024 }
    return new IndexWorker(folder, await openIndex(folder, options, createCatalog(protocols)))
  }

  async add(exchanges: readonly Exchange[]): Promise<void> {
    for (const [at, exchange] of exchanges.entries()) this.#add(exchange, at)
    await this.#index.flush()
  }

  /** Calls as a dissection gave them. */
  async addCalls(calls: readonly Call[]): Promise<void> {
    for (const call of calls) this.#index.append(call, { src: call.flow.ends[0], dst: call.flow.ends[1] })
    await this.#index.flush()
  }

  /** Calls with the names of both ends. */
  async addNamed(calls: readonly NamedCall[]): Promise<void> {
    for (const { call, src, dst } of calls) this.#index.append(call, { src, dst })
    await this.#index.flush()
  }

  async close(): Promise<void> {
    await this.#index.close()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #add(exchange: Exchange, number: number): void {
    const {
      at,
      service,
      client = 'front',
      latency = 5,
      status = 200,
      path = '/',
      ns = 'shop',
      ends,
    } = exchange
    const peer = (end: Endpoint, svc: string): Endpoint => ({ ...end, svc, ns })
    const append = (call: Call) =>
      this.#index.append(call, {
        src: peer(call.flow.ends[0], client),
        dst: peer(call.flow.ends[1], service),
      })
    const ask = (asked: string, emit: (call: Call) => void) => {
      const talk = new Conversation({
        clientPort: 1024 + (number % 60_000),
        start: at * 1000,
        step: 10,
        ...(ends && { client: ends[0], server: ends[1] }),
      })
        .handshake()
        .send(0, `GET ${asked} HTTP/1.1\r\nHost: ${service}\r\n\r\n`)
      talk.time += latency * 1000
      const { ending, headers = {} } = exchange
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      if (ending) talk.segment(1, FLAG[ending] | FLAG.ack)
      else talk.send(1, `HTTP/1.1 ${status} Reason\r\n${lines.join('')}Content-Length: 0\r\n\r\n`).close()
      const dissection = new Dissection({ emit })
      feed(dissection, talk.packets, ETHERNET)
      dissection.end()
    }
    ask(path, (outside) => {
      append(outside)
      const { inside } = exchange
      if (inside === undefined) return
      ask(inside, (call) =>
        append({
          ...call,
          flow: outside.flow,
          ordinal: 1,
          tls: { sni: inside.slice(1), key_source: 'test' },
        }),
      )
    })
  }
}
