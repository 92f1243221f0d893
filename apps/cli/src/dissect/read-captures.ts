import { CaptureReader, type Loss, Malformed } from '@tapdeck/wire'
import type { CaptureInput } from './capture-input.ts'
import type { CaptureSequence } from './capture-sequence.ts'

export interface ReadResult {
  readonly packets: number
  readonly bytes: number
  /** Inputs that are no captures, by name. */
  readonly notCaptures: readonly string[]
}

export interface ReadListener {
  /** Bytes read so far of all files, and what they come to if that is known; compressed files count as they unpack. */
  progress(bytes: number, total: number | undefined): void
  damaged(file: string, reason: string): void
}

/** The chunks of an input, unpacked, each in memory of its own. */
export type OpenInput = (input: CaptureInput, damaged: (reason: string) => void) => AsyncIterable<Uint8Array>

/** Reads inputs into the sequence. Throws what the file system throws. */
export async function readCaptures(
  inputs: readonly CaptureInput[],
  sequence: CaptureSequence,
  loss: Loss,
  listener: ReadListener,
  open: OpenInput,
): Promise<ReadResult> {
  const total = totalSize(inputs)
  const notCaptures: string[] = []
  let packets = 0
  let bytes = 0
  for (const input of inputs) {
    const { file } = input
    sequence.nextFile()
    const reader = new CaptureReader(sequence, loss)
    try {
      for await (const chunk of open(input, (reason) => listener.damaged(file, reason))) {
        reader.push(chunk, true)
        listener.progress(bytes + reader.bytes, total)
      }
      reader.end()
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      notCaptures.push(`${file === '-' ? 'standard input' : file}: ${error.message}`)
    }
    packets += reader.packets
    bytes += reader.bytes
  }
  return { packets, bytes, notCaptures }
}

/** Undefined where it is not known beforehand. */
function totalSize(inputs: readonly CaptureInput[]): number | undefined {
  let total = 0
  for (const { size } of inputs) {
    if (size === undefined) return undefined
    total += size
  }
  return total
}
