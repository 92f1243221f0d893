import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from '../out-of-space.ts'
import { eachLine, timeOfLine, toLine } from './event-line.ts'
import { type EventPage, type EventQuery, findEvents, type ShownCommandLine } from './event-query.ts'
import type { RecordedEvent } from './recorded-event.ts'

const NAME = /^(\d{12})\.jsonl$/
const MAX_SEGMENT = 4 << 20
const MAX_LINE = 16_384

interface EventSegment {
  readonly path: string
  readonly sequence: number
  bytes: number
  count: number
  first: number
  last: number
}

export interface EventLogState {
  readonly oldest_ts: number | null
  readonly newest_ts: number | null
  readonly size_bytes: number
  readonly count: number
  /** Events that could not be stored. */
  readonly lost: number
  /** Why nothing can be stored now. */
  readonly reason?: string
}

/**
 * Events of one node or of the cluster, beside the packets: lines of JSON in segments, the oldest deleted to make room
 * for the newest. Writing is synchronous and never throws for what a disk can do: what cannot be stored is counted.
 * One log per folder at a time.
 */
export class EventLog {
  readonly folder: string
  readonly #maxBytes: number
  readonly #segmentBytes: number
  #segments: EventSegment[] = []
  #fd: number | undefined
  #lost = 0
  #reason: string | undefined

  private constructor(folder: string, maxBytes: number) {
    this.folder = folder
    this.#maxBytes = maxBytes
    this.#segmentBytes = Math.min(MAX_SEGMENT, Math.max(4096, Math.floor(maxBytes / 8)))
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of readdirSync(folder).sort()) {
      const sequence = NAME.exec(name)?.[1]
      if (sequence === undefined) continue
      const segment = recover(join(folder, name), Number(sequence))
      if (segment) this.#segments.push(segment)
    }
    this.#makeRoom(0)
  }

  /** Opens or makes the log in `folder`; a line that was torn by a crash is cut off. */
  static open(folder: string, { maxBytes }: { readonly maxBytes: number }): EventLog {
    return new EventLog(folder, maxBytes)
  }

  get state(): EventLogState {
    const count = this.#segments.reduce((sum, segment) => sum + segment.count, 0)
    return {
      oldest_ts: count === 0 ? null : Math.min(...this.#segments.map(({ first }) => first)),
      newest_ts: count === 0 ? null : Math.max(...this.#segments.map(({ last }) => last)),
      size_bytes: this.#bytes(),
      count,
      lost: this.#lost,
      ...(this.#reason !== undefined && { reason: this.#reason }),
    }
  }

  /** Stores events as far as that can be done; what could not be stored is counted. */
  append(events: readonly RecordedEvent[]): void {
    let lines: string[] = []
    let bytes = 0
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    const store = () => {
      if (lines.length > 0) this.#store(Buffer.from(lines.join('')), lines.length, first, last)
      lines = []
      bytes = 0
      ;[first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    }
    for (const event of events) {
      const line = toLine(event)
      const size = Buffer.byteLength(line)
      if (size > MAX_LINE || size > this.#segmentBytes) {
        this.#lost++
        continue
      }
      if (bytes + size > this.#segmentBytes) store()
      lines.push(line)
      bytes += size
      first = Math.min(first, event.ts)
      last = Math.max(last, event.ts)
    }
    store()
  }

  /** Lets go of what is all older than `time`, Unix milliseconds. */
  forgetBefore(time: number): void {
    while (this.#segments.length > 1 && this.#segments[0]!.last < time) if (!this.#deleteOldest()) return
  }

  find(query: EventQuery, shown: ShownCommandLine): Promise<EventPage> {
    return findEvents(this.texts(query.start, query.end), query, shown)
  }

  /** The lines of the segments that may hold events of the window, as they lie. */
  async *texts(
    start = Number.NEGATIVE_INFINITY,
    end = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Buffer<ArrayBuffer>> {
    for (const { path, first, last } of [...this.#segments]) {
      if (last < start || first > end) continue
      // One that made room meanwhile takes nothing away from the others.
      const text = await readFile(path).catch(() => undefined)
      if (text) yield text
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #store(text: Buffer, count: number, first: number, last: number): void {
    if (!this.#write(text)) {
      this.#lost += count
      return
    }
    const segment = this.#segments.at(-1)!
    segment.bytes += text.length
    segment.count += count
    segment.first = Math.min(segment.first, first)
    segment.last = Math.max(segment.last, last)
  }

  #write(text: Buffer): boolean {
    for (;;) {
      const { bytes = 0 } = this.#segments.at(-1) ?? {}
      try {
        if (this.#fd === undefined || bytes + text.length > this.#segmentBytes) this.#rotate()
        if (!this.#makeRoom(text.length))
          throw new Error(`no room in an event log of ${this.#maxBytes} bytes`)
        this.#writeWhole(text)
        this.#reason = undefined
        return true
      } catch (error) {
        const { message } = error as Error
        if (isDiskFull(error) && this.#segments.length > 1 && this.#deleteOldest()) continue
        this.#reason = message
        return false
      }
    }
  }

  /** A part that was written before the disk was full is taken back. */
  #writeWhole(text: Buffer): void {
    const fd = this.#fd!
    const before = this.#segments.at(-1)!.bytes
    try {
      let at = 0
      while (at < text.length) at += writeSync(fd, text, at, text.length - at, before + at)
    } catch (error) {
      ftruncateSync(fd, before)
      throw error
    }
  }

  #rotate(): void {
    const sequence = (this.#segments.at(-1)?.sequence ?? 0) + 1
    const path = join(this.folder, `${String(sequence).padStart(12, '0')}.jsonl`)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const fd = openSync(path, 'w', 0o600)
    this.close()
    this.#fd = fd
    this.#segments.push({
      path,
      sequence,
      bytes: 0,
      count: 0,
      first: Number.POSITIVE_INFINITY,
      last: Number.NEGATIVE_INFINITY,
    })
  }

  #makeRoom(bytes: number): boolean {
    while (this.#bytes() + bytes > this.#maxBytes)
      if (this.#segments.length < 2 || !this.#deleteOldest()) return false
    return true
  }

  #deleteOldest(): boolean {
    try {
      unlinkSync(this.#segments[0]!.path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return false
    }
    this.#segments.shift()
    return true
  }

  #bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

/** What a segment holds, cut after its last whole line; undefined where that is nothing. */
function recover(path: string, sequence: number): EventSegment | undefined {
  const text = readFileSync(path)
  let count = 0
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  const whole = eachLine(text, (start, end) => {
    const time = timeOfLine(text, start, end)
    if (time === undefined) return
    count++
    first = Math.min(first, time)
    last = Math.max(last, time)
  })
  if (count === 0) {
    unlinkSync(path)
    return undefined
  }
  if (whole < text.length) truncateSync(path, whole)
  return { path, sequence, bytes: whole, count, first, last }
}
