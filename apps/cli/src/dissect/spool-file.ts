import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A temporary file as threads of this process share it: plain data. */
export interface SharedFile {
  readonly descriptor: number
  /** How many bytes were put away, by all threads. */
  readonly end: SharedArrayBuffer
}

/** Bytes that were put away. */
export interface Filed {
  readonly from: number
  readonly length: number
}

/** A temporary file that several threads put bytes into, each at a place of its own. Its name is gone as soon as it is open. */
export class SpoolFile {
  readonly shared: SharedFile
  readonly #end: BigInt64Array

  /** The file of another thread, or a new one that the caller must close. */
  constructor(shared: SharedFile = { descriptor: openUnnamed(), end: new SharedArrayBuffer(8) }) {
    this.shared = shared
    this.#end = new BigInt64Array(shared.end)
  }

  get size(): number {
    return Number(Atomics.load(this.#end, 0))
  }

  put(block: Uint8Array): Filed {
    const { length } = block
    const from = Number(Atomics.add(this.#end, 0, BigInt(length)))
    try {
      for (let done = 0; done < length; )
        done += writeSync(this.shared.descriptor, block, done, length - done, from + done)
    } catch (error) {
      throw cannotWait(error)
    }
    return { from, length }
  }

  /** Reads what was put away to the beginning of `bytes`. */
  read({ from, length }: Filed, bytes: Uint8Array): void {
    for (let done = 0; done < length; ) {
      const read = readSync(this.shared.descriptor, bytes, done, length - done, from + done)
      if (read === 0) throw new Error('the temporary file ends early')
      done += read
    }
  }

  close(): void {
    closeSync(this.shared.descriptor)
  }
}

function openUnnamed(): number {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
    const file = openSync(join(folder, 'spool'), 'wx+', 0o600)
    rmSync(folder, { recursive: true })
    return file
  } catch (error) {
    throw cannotWait(error)
  }
}

/** Reported like other system errors, but not as an error of an input file. The message says how to use another folder. */
function cannotWait(cause: unknown): Error {
  const { message, syscall } = cause as NodeJS.ErrnoException
  const error = new Error(`calls cannot wait for their order in ${tmpdir()} (TMPDIR): ${message}`, { cause })
  return Object.assign(error, { code: 'TMPDIR', syscall })
}
