import { createHash } from 'node:crypto'
import type { WorkerRequests } from '@tapdeck/api'
import { CaptureDigest } from '@tapdeck/recording'
import type { Answers } from './fake-worker.ts'

type Step = WorkerRequests['upload']['output']

/** What a test makes a worker do instead of what it should. */
export interface UploadLies {
  /** Called before each step. */
  before?(step: number): void | Promise<void>
  /** Changes the answer to a step. */
  answer?(answer: Step, step: number): Step
  /** Changes checksums and index. */
  pieces?(pieces: Buffer): Buffer
  /** Sends something else, or nothing. */
  put?(url: string, part: Uint8Array, md5: string): Promise<void>
}

const START = 1_700_000_000_000

/** Answers of a worker that has recorded these bytes, and uploads them one part a step. */
export function uploadingWorker(bytes: Buffer, lies: UploadLies = {}): Answers {
  const counts = { packet_count: 60, dropped_packets: 2, start_ts: START, end_ts: START + 60_000 }
  const partOf = (number: number, size: number) =>
    new Uint8Array(bytes.subarray((number - 1) * size, number * size))
  const next = new Map<string, number>()
  let steps = 0
  return {
    boundaries: () => ({
      ...{ oldest_ts: START, newest_ts: START + 60_000, size_bytes: bytes.length },
      ...{ packet_count: 60, dropped_packets: 2 },
    }),
    async window(_input, worker, id) {
      for (let at = 0; at < bytes.length; at += 1 << 20)
        await worker.piece(id, bytes.subarray(at, at + (1 << 20)))
      return { ...counts, size_bytes: bytes.length, partial: false }
    },
    async upload({ upload, part_bytes, parts }, worker, id) {
      await lies.before?.(++steps)
      const sent: number[] = []
      for (const { number, url } of parts) {
        if (url === undefined) continue
        const part = partOf(number, part_bytes)
        await (lies.put ?? put)(url, part, md5Of(part))
        sent.push(number)
      }
      const number = next.get(upload) ?? 1
      next.set(upload, number + 1)
      const part = partOf(number, part_bytes)
      if (part.length > 0) {
        const ready = [{ number, size: part.length, md5: md5Of(part) }]
        return lies.answer?.({ sent, ready }, steps) ?? { sent, ready }
      }
      const digest = new CaptureDigest()
      digest.update(bytes)
      const { sha256, sums, size_bytes, index = new Uint8Array(0) } = digest.end()
      const pieces = Buffer.concat([sums, index])
      await worker.piece(id, lies.pieces?.(pieces) ?? pieces)
      const lengths = { size_bytes, sha256, sums_bytes: sums.length, index_bytes: index.length }
      const answer = { sent, ready: [], result: { ...counts, ...lengths, partial: false } }
      return lies.answer?.(answer, steps) ?? answer
    },
  }
}

async function put(url: string, part: Uint8Array, md5: string): Promise<void> {
  const body = part as Uint8Array<ArrayBuffer>
  const { status } = await fetch(url, { method: 'PUT', body, headers: { 'content-md5': md5 } })
  if (status !== 200) throw { status: 502, code: 'upload_failed', detail: `the storage answered ${status}` }
}

function md5Of(part: Uint8Array): string {
  return createHash('md5').update(part).digest('base64')
}
