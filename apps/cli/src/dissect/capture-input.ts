import { openCaptureFile, plainSize, readPlainFile } from '@tapdeck/recording'
import { chunkMemory } from '@tapdeck/wire'

/** What the command line names, by a path or `-` for standard input. Plain data: it is handed to threads. */
export interface CaptureInput {
  readonly file: string
  /** Where every thread can read it for itself: how much of it. */
  readonly size: number | undefined
}

/** Throws what the file system throws. */
export function captureInputs(files: readonly string[]): CaptureInput[] {
  return files.map((file) => ({ file, size: file === '-' ? undefined : plainSize(file) }))
}

/** `sifts`: the reader needs only a part of it. */
export function openInput(
  { file, size }: CaptureInput,
  damaged: (reason: string) => void,
  sifts: boolean,
): AsyncGenerator<Uint8Array> {
  if (size !== undefined)
    return readPlainFile(file, size, sifts ? () => chunkMemory.borrowReadBuffer() : undefined)
  return openCaptureFile(file === '-' ? process.stdin : file, { damaged })
}
