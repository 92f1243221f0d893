import { once } from 'node:events'
import { closeSync, createWriteStream } from 'node:fs'
import { chmod, link, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { dropsOf } from './drops.ts'
import { isDiskFull, OutOfSpace } from './out-of-space.ts'
import { indexPath } from './segment-index/index-file.ts'
import type { WindowPart } from './window-part.ts'
import { WindowReader, type WindowResult } from './window-reader.ts'

/** A window of a recording as files in a folder, to be read one after the other. */
export interface HandedWindow extends WindowResult {
  readonly files: readonly HandedFile[]
}

export interface HandedFile {
  readonly name: string
  readonly size_bytes: number
  readonly packet_count: number
}

/** Segments cannot be linked into the folder: it is on another file system or belongs to another user. */
export class NotLinkable extends Error {
  override readonly name = 'NotLinkable'
}

export interface HandOverWindow {
  /** Milliseconds. */
  readonly start: number
  readonly end: number
  /** Where the recording begins; null where it is empty. */
  readonly oldest: number | null
  /** No more than so many bytes are handed over. */
  readonly maxBytes: number
}

/**
 * Puts the window `[start, end]` into a folder without copying it: closed segments that lie wholly inside become hard
 * links, with their index; only what the window cuts, and the segment that is being written, is copied. The ring may delete its
 * own name of a segment at any time. Closes the parts. Throws `NotLinkable` where a copy over the link is the better way,
 * and `OutOfSpace`; what lies in the folder then is no use.
 */
export async function handOver(
  parts: readonly WindowPart[],
  window: HandOverWindow,
  folder: string,
): Promise<HandedWindow> {
  const { start, end, oldest, maxBytes } = window
  const files: HandedFile[] = []
  const results: WindowResult[] = []
  let bytes = 0
  const count = (more: number) => {
    bytes += more
    if (bytes > maxBytes)
      throw new OutOfSpace(`the window holds more than the ${maxBytes} bytes that there is room for`, more, 0)
  }
  const copy = async (some: readonly WindowPart[], name: string) => {
    const reader = new WindowReader(some, start, end, oldest, [], { keepOpen: true })
    await copied(reader, join(folder, name), count)
    files.push(fileOf(name, reader.result))
    return reader.result
  }
  try {
    const whole = new Set<WindowPart>()
    // All links before any copy: what is linked can no longer be taken away.
    for (const part of parts) {
      const inside = part.start >= start * 1000 && part.end <= end * 1000
      if (!inside || part.open || !(await linked(part, folder))) continue
      count(part.bytes)
      whole.add(part)
    }
    for (const part of parts)
      if (whole.has(part)) {
        results.push(resultOf(part))
        files.push(fileOf(basename(part.path), resultOf(part)))
      } else results.push(await copy([part], `cut-${files.length}.pcapng`))
    if (files.length === 0) await copy([], 'empty.pcapng')
  } finally {
    for (const { fd } of parts) closeSync(fd)
  }
  return { ...joined(results), size_bytes: bytes, partial: isPartial(results, oldest, start), files }
}

/** False where the ring has deleted it meanwhile: its open file still has the bytes. */
async function linked(part: WindowPart, folder: string): Promise<boolean> {
  const path = join(folder, basename(part.path))
  try {
    await link(part.path, path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    throw new NotLinkable(message)
  }
  if ((await stat(path)).size !== part.bytes) throw new NotLinkable(`${part.path} has changed`)
  // The ring's name of the file gets the mode as well: no more may read it than before.
  await chmod(path, 0o400)
  // Where it has none yet, the first who wants it makes it.
  await link(indexPath(part.path), indexPath(path)).catch(() => {})
  return true
}

async function copied(reader: WindowReader, path: string, count: (bytes: number) => void): Promise<void> {
  const file = createWriteStream(path, { mode: 0o400 })
  const ended = finished(file)
  ended.catch(() => {})
  try {
    for await (const chunk of reader) {
      count(chunk.length)
      if (!file.write(chunk)) await Promise.race([once(file, 'drain'), ended])
    }
    file.end()
    await ended
  } catch (error) {
    file.destroy()
    const { code, message } = error as NodeJS.ErrnoException
    if (isDiskFull(error)) throw new OutOfSpace('the disk is full', 0, 0)
    throw code === 'ENOENT' || code === 'EACCES' || code === 'EPERM' ? new NotLinkable(message) : error
  }
}

function fileOf(name: string, { size_bytes, packet_count }: WindowResult): HandedFile {
  return { name, size_bytes, packet_count }
}

function resultOf({ packets, bytes, drops, diskDrops, start, end }: WindowPart): WindowResult {
  return {
    packet_count: packets,
    size_bytes: bytes,
    dropped_packets: drops,
    drops: dropsOf(drops, diskDrops),
    start_ts: Math.floor(start / 1000),
    end_ts: Math.ceil(end / 1000),
    partial: false,
  }
}

function joined(results: readonly WindowResult[]): Omit<WindowResult, 'size_bytes' | 'partial'> {
  const starts = results.flatMap(({ start_ts }) => start_ts ?? [])
  const ends = results.flatMap(({ end_ts }) => end_ts ?? [])
  const dropped = results.reduce((sum, { dropped_packets }) => sum + dropped_packets, 0)
  return {
    packet_count: results.reduce((sum, { packet_count }) => sum + packet_count, 0),
    dropped_packets: dropped,
    drops: dropsOf(
      dropped,
      results.reduce((sum, { drops }) => sum + (drops?.disk ?? 0), 0),
    ),
    start_ts: starts.length > 0 ? Math.min(...starts) : null,
    end_ts: ends.length > 0 ? Math.max(...ends) : null,
  }
}

function isPartial(results: readonly WindowResult[], oldest: number | null, start: number): boolean {
  return oldest === null || start < oldest || results.some(({ partial }) => partial)
}
