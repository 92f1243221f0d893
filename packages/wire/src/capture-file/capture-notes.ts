export interface CapturedInterface {
  readonly name?: string
  readonly link: number
  readonly snaplen: number
}

/** TLS keys and the like that a capture carries with it. `type` is the four-byte code of pcapng, such as 0x544c534b. */
export interface CapturedSecrets {
  readonly type: number
  readonly data: Uint8Array
}

/** `packet` counts from 1 and is absent where the comment is about the section or an interface. */
export interface CaptureComment {
  readonly text: string
  readonly packet?: number
}

const MAX_NAMES = 100_000
const MAX_COMMENTS = 10_000
const MAX_INTERFACES = 10_000
const MAX_SECRET_BYTES = 16 * 1024 * 1024

/** What a capture file contains besides packets. Each list is bounded; `refused` counts what did not fit. */
export class CaptureNotes {
  readonly interfaces: CapturedInterface[] = []
  /** Names by address, in the order of the file. */
  readonly names = new Map<string, string[]>()
  readonly secrets: CapturedSecrets[] = []
  readonly comments: CaptureComment[] = []
  application: string | undefined
  refused = 0
  #nameCount = 0
  #secretBytes = 0

  interface(entry: CapturedInterface): void {
    if (this.interfaces.length < MAX_INTERFACES) this.interfaces.push(entry)
    else this.refused++
  }

  name(address: string, name: string): void {
    if (this.#nameCount >= MAX_NAMES) {
      this.refused++
      return
    }
    const known = this.names.get(address)
    if (known?.includes(name)) return
    this.#nameCount++
    if (known) known.push(name)
    else this.names.set(address, [name])
  }

  secret(type: number, data: Uint8Array): void {
    if (this.#secretBytes + data.length > MAX_SECRET_BYTES) {
      this.refused++
      return
    }
    this.#secretBytes += data.length
    this.secrets.push({ type, data: data.slice() })
  }

  comment(text: string, packet?: number): void {
    if (this.comments.length < MAX_COMMENTS)
      this.comments.push(packet === undefined ? { text } : { text, packet })
    else this.refused++
  }
}
