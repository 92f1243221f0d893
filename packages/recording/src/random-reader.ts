import { open } from 'node:fs/promises'

/** A file that can be read at any place: on disk, or in a bucket. */
export interface RandomReader {
  readonly size: number
  read(
    target: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
  close(): Promise<void>
}

/** Throws what the file system throws. */
export async function openOnDisk(path: string): Promise<RandomReader> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    return {
      size,
      read: (target, offset, length, position) => file.read(target, offset, length, position),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}
