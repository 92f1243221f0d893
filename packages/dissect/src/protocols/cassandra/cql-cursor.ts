import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import { Malformed } from '@tapdeck/wire'
import { Cursor } from '../../text/cursor.ts'

/** Reads the notations of §3 of the native protocol. */
export class CqlCursor extends Cursor {
  int(): number {
    return this.long() | 0
  }

  bigint(): bigint {
    const part = this.take(8)
    return new DataView(part.buffer, part.byteOffset, 8).getBigInt64(0)
  }

  string(): string {
    return this.text(this.short())
  }

  stringList(): string[] {
    return this.#times(this.short(), () => this.string())
  }

  stringMap(): Record<string, string> {
    const map: Record<string, string> = Object.create(null)
    this.#times(this.short(), () => {
      map[this.string()] = this.string()
    })
    return map
  }

  stringMultimap(): Record<string, string[]> {
    const map: Record<string, string[]> = Object.create(null)
    this.#times(this.short(), () => {
      map[this.string()] = this.stringList()
    })
    return map
  }

  shortBytes(): Uint8Array {
    return this.take(this.short())
  }

  /** `null` is -1, and -2 a value that is not set: both have no bytes. */
  value(): Uint8Array | 'null' | 'not set' {
    const length = this.int()
    if (length >= 0) return this.take(length)
    return length === -2 ? 'not set' : 'null'
  }

  skipStringList(): void {
    this.#times(this.short(), () => this.skip(this.short()))
  }

  skipBytesMap(): void {
    this.#times(this.short(), () => {
      this.skip(this.short())
      this.value()
    })
  }

  uuid(): string {
    const hex = Buffer.from(this.take(16)).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
  }

  /** An address with its port. */
  inet(): string {
    const address = formatInet(this.take(this.byte()))
    const port = this.int()
    return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  }

  #times<T>(count: number, read: () => T): T[] {
    const all: T[] = []
    for (let i = 0; i < count; i++) all.push(read())
    return all
  }
}

export function formatInet(bytes: Uint8Array): string {
  if (bytes.length === 4) return formatIPv4(bytes, 0)
  if (bytes.length === 16) return formatIPv6(bytes, 0)
  throw new Malformed('no address')
}
