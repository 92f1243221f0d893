import type { OpenedRecord, RecordCipher } from './record-cipher.ts'

/** A cipher of one direction, and how to get its successor. */
export interface CipherEpoch {
  readonly cipher: RecordCipher
  /** Only the last epoch of TLS 1.3 has a successor: the key after a KeyUpdate message. */
  next?(): CipherEpoch
}

/** How many lost records are searched past. */
const MAX_SKIPPED_RECORDS = 512
/** How many attempts one direction gets beyond the expected record numbers. Each opened record gives some of them back. */
const MAX_ATTEMPTS = 16_384
const ATTEMPTS_FOR_OPENED = 64
/** Records in a row that no key opens, before the rest is not tried any more. */
const MAX_FAILURES = 64

/**
 * Opens the records of one direction in order. The number of a record is not sent, and a capture may miss records or
 * the message that changes the key. So the expected number is tried first, then the numbers after lost records and the
 * first numbers of the following keys: a tag that verifies is proof.
 */
export class DirectionDecryptor {
  #epochs: readonly CipherEpoch[]
  #sequence = 0
  /** How many records may have been lost before the next one. */
  #skippable = 0
  #attempts = 0
  #failures = 0
  opened = 0

  constructor(epochs: readonly CipherEpoch[]) {
    this.#epochs = epochs
  }

  get gaveUp(): boolean {
    return this.#epochs.length === 0 || this.#failures >= MAX_FAILURES || this.#attempts >= MAX_ATTEMPTS
  }

  /** Bytes of this direction were lost, and with them this number of records; an unknown number by default. */
  lost(records = MAX_SKIPPED_RECORDS): void {
    this.#skippable = Math.min(this.#skippable + records, MAX_SKIPPED_RECORDS)
  }

  /** Opens a record, header included. Undefined if no key opens it. */
  open(record: Uint8Array): OpenedRecord | undefined {
    if (this.gaveUp) return undefined
    const opened = this.#openExpected(record) ?? this.#openAfterKeyChange(record)
    if (opened === undefined) {
      this.#failures++
      // The record may still have been one of this direction's, so the next one may have a higher number.
      this.lost(1)
      return undefined
    }
    this.#failures = 0
    this.#skippable = 0
    this.#attempts = Math.max(0, this.#attempts - ATTEMPTS_FOR_OPENED)
    this.opened++
    return opened
  }

  #openExpected(record: Uint8Array): OpenedRecord | undefined {
    const [epoch] = this.#epochs
    if (epoch === undefined) return undefined
    return this.#search(epoch, record, this.#sequence)
  }

  #openAfterKeyChange(record: Uint8Array): OpenedRecord | undefined {
    const [current, ...following] = this.#epochs
    const successor = following.length === 0 ? current?.next?.() : undefined
    const later = successor === undefined ? following : [successor]
    for (const [index, epoch] of later.entries()) {
      const opened = this.#search(epoch, record, 0)
      if (opened === undefined) continue
      this.#epochs = later.slice(index)
      return opened
    }
    return undefined
  }

  #search(epoch: CipherEpoch, record: Uint8Array, first: number): OpenedRecord | undefined {
    for (let sequence = first; sequence <= first + this.#skippable; sequence++) {
      if (sequence > first && ++this.#attempts > MAX_ATTEMPTS) return undefined
      const opened = epoch.cipher.open(record, sequence)
      if (opened === undefined) continue
      this.#sequence = sequence + 1
      return opened
    }
    return undefined
  }
}
