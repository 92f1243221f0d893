/** A longer document is refused, and not read. Sealed, it is one record (`MAX_SEALED_BYTES`). */
export const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024 - 1024
export const MAX_DOCUMENTS = 2048

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}(\/[a-z0-9][a-z0-9._-]{0,63})?$/

/**
 * The documents that a hub needs to continue what another one did: small texts by name, each written whole. One hub at a
 * time has a store open; docs/object-storage.md lists the documents.
 */
export interface StateStore {
  /** For messages. */
  readonly address: string
  /** Names the data folder that belongs to this store. Files of a document that another one holds are not in ours. */
  readonly holder: string
  /** Undefined where there is none. Throws where it is too large or damaged. */
  read(name: string): Promise<string | undefined>
  /** All names that begin with a text. */
  names(prefix: string): Promise<string[]>
  /**
   * Resolves when no crash can undo it; if it rejects, the document is as before. Of several writes of one document, the last one wins.
   * Throws 503 where the storage is away, and 409 where the text is too long.
   */
  write(name: string, text: string): Promise<void>
  /** Does nothing where there is none. */
  remove(name: string): Promise<void>
  /** Waits for what is being written. Another hub may open the store at once. */
  close(): Promise<void>
}

/** Names become parts of paths and keys. */
export function requireDocumentName(name: string): void {
  if (!NAME.test(name)) throw new RangeError(`"${name}" is not the name of a state document`)
}
