import { createHash } from 'node:crypto'
import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { OwnAgents } from '@tapdeck/own-ports'
import { CaptureDigest, type CaptureSummary, WindowReader } from '@tapdeck/recording'
import type { HeldWindow } from './interrupted-windows.ts'
import { putPart } from './put-part.ts'

type Input = WorkerRequests['upload']['input']
type Output = WorkerRequests['upload']['output']

export interface UploadStep {
  readonly answer: Output
  /** What the hub stores beside the capture; present with the result. */
  readonly summary?: CaptureSummary
}

interface ReadyPart {
  readonly number: number
  readonly bytes: Uint8Array
  readonly md5: string
}

/** Parts that are sent at the same time, while as many are read. Each takes its size in memory. */
const PARTS_AT_ONCE = 2
/** Larger parts, of captures above 150 GB, go one by one. */
const LARGE_PART = 32 * 1024 * 1024
/** Larger ones are left out: then readers read the whole capture. */
const MAX_INDEX = 32 * 1024 * 1024

/** One window on its way to an object storage, in parts. The hub says where each part goes. */
export class WindowUpload {
  readonly held: HeldWindow
  readonly #agents: OwnAgents
  readonly #reader: WindowReader
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #digest = new CaptureDigest()
  readonly #partBytes: number
  /** Read and not sent yet, by number. */
  readonly #ready = new Map<number, ReadyPart>()
  #rest: Uint8Array = new Uint8Array(0)
  #parts = 0
  #isRead = false

  constructor(held: HeldWindow, { start, end, part_bytes }: Input, agents: OwnAgents) {
    this.held = held
    this.#agents = agents
    this.#partBytes = part_bytes
    this.#reader = new WindowReader(held.parts, start, end, held.oldest, [], { keepOpen: true })
    this.#chunks = this.#reader[Symbol.asyncIterator]()
  }

  /** Sends the parts that the hub granted, and reads the next ones meanwhile. */
  async step(parts: Input['parts'], signal: AbortSignal): Promise<UploadStep> {
    const granted = parts.map(({ number, url }) => ({ url, part: this.#take(number) }))
    const sent: number[] = []
    const sending = granted.map(async ({ url, part }) => {
      if (url === undefined) return
      await putPart({ url, bytes: part.bytes, md5: part.md5 }, this.#agents, signal)
      sent.push(part.number)
    })
    const [reading, ...sends] = await Promise.allSettled([this.#fill(signal), ...sending])
    for (const { reason } of [...sends, reading].filter((one) => one.status === 'rejected')) throw reason
    const ready = [...this.#ready.values()].map(({ number, bytes, md5 }) => ({
      number,
      size: bytes.length,
      md5,
    }))
    if (ready.length > 0) return { answer: { sent, ready } }
    const summary = this.#digest.end()
    const index = summary.index && summary.index.length <= MAX_INDEX ? summary.index : new Uint8Array(0)
    const { sha256, sums } = summary
    const result = {
      ...this.#reader.result,
      ...{ sha256, sums_bytes: sums.length, index_bytes: index.length },
    }
    return { answer: { sent, ready, result }, summary: { ...summary, index } }
  }

  #take(number: number): ReadyPart {
    const part = this.#ready.get(number)
    if (part === undefined)
      throw new Problem(400, 'invalid_request', `Invalid input of "upload": part ${number} is not ready`)
    this.#ready.delete(number)
    return part
  }

  async #fill(signal: AbortSignal): Promise<void> {
    const most = this.#partBytes > LARGE_PART ? 1 : PARTS_AT_ONCE
    while (this.#ready.size < most && !this.#isRead) {
      const part = await this.#readPart(signal)
      if (part) this.#ready.set(part.number, part)
    }
  }

  /** Undefined where nothing is left. */
  async #readPart(signal: AbortSignal): Promise<ReadyPart | undefined> {
    const bytes = Buffer.allocUnsafeSlow(this.#partBytes)
    const hash = createHash('md5')
    let length = 0
    while (length < bytes.length) {
      signal.throwIfAborted()
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next()
        if (done) break
        this.#digest.update(value)
        this.#rest = value
      }
      const some = this.#rest.subarray(0, bytes.length - length)
      bytes.set(some, length)
      hash.update(some)
      length += some.length
      this.#rest = this.#rest.subarray(some.length)
    }
    this.#isRead = length < bytes.length
    if (length === 0) return undefined
    return { number: ++this.#parts, bytes: bytes.subarray(0, length), md5: hash.digest('base64') }
  }
}
