import type { Connection } from '../../contract/dissector.ts'
import { StatementCache } from '../../sql/statement-cache.ts'
import { CqlCursor } from './cql-cursor.ts'

/** A statement as its executions carry it: its text, and behind that what the server said of its values and columns. */
export interface PreparedStatement {
  readonly text: Uint8Array
  /** Where in `text` the statement itself ends. */
  readonly length: number
}

/** Statements by what the server calls them: an id is known from the answer to its PREPARE on the same connection. */
export class PreparedStatements {
  readonly #byId: StatementCache<string, PreparedStatement>
  /** Not answered yet, by stream. */
  readonly #asked: StatementCache<number, { readonly text: Uint8Array }>

  constructor(connection: Connection) {
    this.#byId = new StatementCache(connection)
    this.#asked = new StatementCache(connection)
  }

  get(id: string): PreparedStatement | undefined {
    return this.#byId.get(id)
  }

  /** A request on a stream: whatever was asked there before has been answered, or never will be. */
  asked(stream: number, text: Uint8Array | undefined): void {
    if (text === undefined) this.#asked.delete(stream)
    else this.#asked.set(stream, { text })
  }

  /** `bytes[start, end)` is what follows the kind of a Prepared result. */
  answered(stream: number, bytes: Uint8Array, start: number, end: number): string {
    const cursor = new CqlCursor(bytes, start, end)
    const id = hex(cursor.shortBytes())
    const asked = this.#asked.get(stream)
    if (asked === undefined) return id
    this.#asked.delete(stream)
    const { length } = asked.text
    const text = new Uint8Array(length + cursor.left)
    text.set(asked.text)
    text.set(bytes.subarray(cursor.at, end), length)
    this.#byId.set(id, { text, length })
    return id
  }
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}
