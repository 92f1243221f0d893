import { once } from 'node:events'
import {
  type HubMessage,
  initialCredit,
  linkPath,
  type WorkerMessage,
  type WorkerReport,
  type WorkerRequests,
} from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { WebSocket } from 'ws'

type Request = Extract<HubMessage, { kind: 'request' }>

/** What a fake worker answers; a thrown `{status, code, detail}` is a failure. Missing ones are answered with nothing found. */
export type Answers = {
  [Name in keyof WorkerRequests]?: (
    input: WorkerRequests[Name]['input'],
    worker: FakeWorker,
    id: number,
  ) => WorkerRequests[Name]['output'] | Promise<WorkerRequests[Name]['output']>
}

export const idleReport: WorkerReport = {
  indexing: false,
  capture: { active: true, interfaces: ['lo'] },
  recording: { oldest_ts: 1000, newest_ts: 61_000, size_bytes: 6000, packet_count: 60, dropped_packets: 0 },
  packets_captured: 60,
  packets_dissected: 0,
  calls: 0,
  loss: {},
}

const noPackets = {
  packet_count: 0,
  size_bytes: 0,
  dropped_packets: 0,
  start_ts: null,
  end_ts: null,
  partial: false,
}
const noCalls = { calls: [], total: 0, total_is: 'exact', cursors: [] } as const

/** Valid answers of a worker that holds nothing. */
const nothingFound: {
  readonly [Name in Exclude<keyof WorkerRequests, 'hand_over' | 'upload'>]: WorkerRequests[Name]['output']
} = {
  indexing: { enabled: false },
  inventory: {},
  names: {},
  targets: {},
  credential_key: {},
  capture_filter: {},
  boundaries: idleReport.recording,
  credential: { credential: '' },
  calls: { ...noCalls, calls: [], cursors: [] },
  call: { call: null },
  count: { count: 0 },
  stats: { groups: [] },
  values: { values: [] },
  flows: { flows: [], total: 0 },
  summary: { calls: 0, flows: 0, oldest_ts: null, newest_ts: null, size_bytes: 0, by_protocol: {} },
  subscribe: {},
  tls_keys: {},
  key_window: { count: 0 },
  unsubscribe: {},
  rewind: {
    ...noCalls,
    calls: [],
    cursors: [],
    spent: false,
    rewind: {
      read_bytes: 0,
      window_bytes: 0,
      packets: 0,
      elapsed_ms: 0,
      searched_from: 0,
      searched_to: 0,
      calls: 0,
      by_protocol: {},
      restricted: false,
    },
  },
  rewind_call: { call: null, complete: true },
  events: { events: [], total: 0, more: false },
  event_window: { count: 0 },
  window: noPackets,
}

/** A tiny worker that speaks the link over a real WebSocket. */
export class FakeWorker {
  readonly socket: WebSocket
  readonly asked: Request[] = []
  report: WorkerReport
  #credit = new Map<number, number>()
  readonly #granted = new Map<number, number>()
  #wake: (() => void)[] = []
  readonly cancelled = new Set<number>()
  readonly answers: Answers

  constructor(
    port: number,
    credential: string,
    node: string,
    answers: Answers,
    report: Partial<WorkerReport> = {},
  ) {
    this.answers = answers
    this.report = { ...idleReport, ...report }
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${linkPath}`, {
      headers: { authorization: `Bearer ${workerCredential(credential, node)}` },
    })
    this.socket.on('open', () => this.say({ kind: 'hello', node, version: '0.1.0', report: this.report }))
    this.socket.on('message', (data) => void this.#take(JSON.parse(String(data))))
    this.socket.on('error', () => {})
  }

  async joined(): Promise<this> {
    await once(this.socket, 'open')
    return this
  }

  say(message: WorkerMessage): void {
    this.socket.send(JSON.stringify(message))
  }

  sendReport(report: Partial<WorkerReport>): void {
    this.report = { ...this.report, ...report }
    this.say({ kind: 'report', report: this.report })
  }

  /** Sends a piece of a streamed answer as the credit allows. */
  async piece(id: number, bytes: Uint8Array): Promise<void> {
    while ((this.#credit.get(id) ?? initialCredit) < bytes.length && !this.cancelled.has(id))
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    this.#credit.set(id, (this.#credit.get(id) ?? initialCredit) - bytes.length)
    const message = new Uint8Array(4 + bytes.length)
    new DataView(message.buffer).setUint32(0, id)
    message.set(bytes, 4)
    this.socket.send(message)
  }

  /** Bytes of a streamed answer that the hub has used. */
  granted(id: number): number {
    return this.#granted.get(id) ?? 0
  }

  close(): void {
    this.socket.terminate()
  }

  async #take(message: HubMessage): Promise<void> {
    if (message.kind === 'credit') {
      this.#credit.set(message.id, (this.#credit.get(message.id) ?? initialCredit) + message.bytes)
      this.#granted.set(message.id, this.granted(message.id) + message.bytes)
      this.#release()
    } else if (message.kind === 'cancel') {
      this.cancelled.add(message.id)
      this.#release()
    } else {
      this.asked.push(message)
      await this.#answer(message)
    }
  }

  #release(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }

  async #answer({ id, request, input }: Request): Promise<void> {
    const answer = this.answers[request] as
      | ((input: unknown, worker: FakeWorker, id: number) => unknown)
      | undefined
    try {
      if (request === 'hand_over' && !answer) throw { status: 409, code: 'not_shared', detail: 'not here' }
      if (request === 'upload' && !answer) throw { status: 400, code: 'unknown_request', detail: 'unknown' }
      const isEchoed = request === 'indexing' || request === 'hand_over' || request === 'upload'
      const fallback = isEchoed ? input : nothingFound[request]
      const result = answer ? await answer(input, this, id) : fallback
      if (request === 'indexing')
        this.report = { ...this.report, indexing: (result as { enabled: boolean }).enabled }
      this.say({ kind: 'answer', id, result })
    } catch (failure) {
      this.say({ kind: 'failure', id, ...(failure as { status: number; code: string; detail: string }) })
    }
  }
}
