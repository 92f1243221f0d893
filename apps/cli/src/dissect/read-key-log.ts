import { closeSync, openSync, readSync } from 'node:fs'
import { KeyStore } from '@tapdeck/tls'

const CHUNK_BYTES = 1024 * 1024
/** A longer line is no line of a key log. */
const MAX_LINE = 4096
const NEWLINE = 0x0a

/** A key log as it is used: of a larger one, the connections at its end. */
export interface ReadKeyLog {
  readonly text: string
  readonly connections: number
  /** Damaged lines. */
  readonly skipped: number
  /** Connections at the beginning of the file that are not used, because there are too many. */
  readonly evicted: number
}

/**
 * Reads a key log of any size in bounded memory. `maxConnections`: so many are used, the newest ones. Throws if the file cannot be
 * read.
 */
export function readKeyLog(file: string, maxConnections?: number): ReadKeyLog {
  const store = new KeyStore(maxConnections)
  const fd = openSync(file, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES + MAX_LINE)
    let held = 0
    for (;;) {
      const length = readSync(fd, buffer, held, CHUNK_BYTES, null)
      if (length === 0) break
      const end = held + length
      const lines = buffer.lastIndexOf(NEWLINE, end - 1) + 1
      store.addKeyLog(buffer.toString('latin1', 0, lines))
      held = end - lines
      buffer.copyWithin(0, lines, end)
      if (held <= MAX_LINE) continue
      // What is left of the line counts as another damaged one.
      store.skippedLines++
      held = 0
    }
    store.addKeyLog(buffer.toString('latin1', 0, held))
  } finally {
    closeSync(fd)
  }
  const { size: connections, skippedLines: skipped, evicted } = store
  return { text: store.toKeyLog(), connections, skipped, evicted }
}
