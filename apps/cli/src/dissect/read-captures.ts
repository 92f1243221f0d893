import { stat } from 'node:fs/promises'
import { openCaptureFile } from '@tapdeck/recording'
import { CaptureReader, type Loss, Malformed } from '@tapdeck/wire'
import type { CaptureSequence } from './capture-sequence.ts'

export interface ReadResult {
  readonly packets: number
  readonly bytes: number
  /** Inputs that are no captures, by name. */
  readonly strangers: readonly string[]
}

export interface ReadListener {
  /** Bytes read so far of all files, and what they come to if that is known; compressed files count as they unpack. */
  progress(bytes: number, total: number | undefined): void
  damaged(file: string, reason: string): void
}

/** Lets `walk` go through bytes of a capture, there or in a copy; none of them stands for the end of a file. */
export type Feed = (chunk: Uint8Array, walk: (bytes: Uint8Array) => void) => Promise<void>

const END = new Uint8Array(0)

/** Reads files (`-` is standard input) into the sequence. Throws what the file system throws. */
export async function readCaptures(
  files: readonly string[],
  sequence: CaptureSequence,
  loss: Loss,
  listener: ReadListener,
  feed: Feed,
): Promise<ReadResult> {
  const total = await totalSize(files)
  const strangers: string[] = []
  let packets = 0
  let bytes = 0
  for (const file of files) {
    sequence.nextFile()
    const reader = new CaptureReader(sequence, loss)
    try {
      const source = file === '-' ? process.stdin : file
      const damaged = (reason: string) => listener.damaged(file, reason)
      for await (const chunk of openCaptureFile(source, { damaged })) {
        await feed(chunk, (part) => reader.push(part, true))
        listener.progress(bytes + reader.bytes, total)
      }
      await feed(END, () => reader.end())
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      strangers.push(`${file === '-' ? 'standard input' : file}: ${error.message}`)
    }
    packets += reader.packets
    bytes += reader.bytes
  }
  return { packets, bytes, strangers }
}

/** Undefined where it is not known beforehand. */
async function totalSize(files: readonly string[]): Promise<number | undefined> {
  if (files.some((file) => file === '-' || /\.(gz|zst)$/.test(file))) return undefined
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
