import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { CONTROL } from './description.ts'

/** Messages of the toolbar (https://www.wireshark.org/docs/wsdg_html_chunked/ChCaptureExtcap.html): `T`, length, control, command. */
const SYNC = 0x54
const HEAD = 4
const COMMAND = { initialized: 0, set: 1, add: 2, warn: 8 } as const
const MAX_VALUE = 65_535

export interface ControlMessage {
  readonly control: number
  readonly command: number
  readonly value: string
}

/** The whole messages in `bytes`, and what is left over. Bytes that begin no message are skipped. */
export function readMessages(bytes: Buffer): { readonly messages: ControlMessage[]; readonly rest: Buffer } {
  const messages: ControlMessage[] = []
  let at = 0
  while (bytes.length - at >= HEAD + 2) {
    const length = bytes.readUIntBE(at + 1, 3)
    if (bytes[at] !== SYNC || length < 2 || length > MAX_VALUE + 2) {
      at++
      continue
    }
    if (bytes.length - at < HEAD + length) break
    const value = bytes.toString('utf8', at + HEAD + 2, at + HEAD + length)
    messages.push({ control: bytes[at + HEAD]!, command: bytes[at + HEAD + 1]!, value })
    at += HEAD + length
  }
  return { messages, rest: Buffer.from(bytes.subarray(at)) }
}

export function writeMessage({ control, command, value }: ControlMessage): Buffer {
  const text = Buffer.from(value).subarray(0, MAX_VALUE)
  const head = Buffer.alloc(HEAD + 2)
  head[0] = SYNC
  head.writeUIntBE(text.length + 2, 1, 3)
  head[HEAD] = control
  head[HEAD + 1] = command
  return Buffer.concat([head, text])
}

/** The toolbar of one capture, over the two pipes of Wireshark. */
export class Toolbar {
  readonly #out: WriteStream | undefined

  /** `filtered` is called with each new filter. */
  constructor(into: string | undefined, out: string | undefined, filtered: (kfl: string) => void) {
    if (out !== undefined) {
      this.#out = createWriteStream(out)
      // Wireshark closes its end when the capture ends.
      this.#out.on('error', () => {})
    }
    if (into === undefined) return
    let rest = Buffer.alloc(0)
    const stream = createReadStream(into)
    stream.on('error', () => {})
    stream.on('data', (bytes) => {
      const read = readMessages(Buffer.concat([rest, Buffer.from(bytes)]))
      rest = Buffer.from(read.rest)
      for (const { control, command, value } of read.messages)
        if (control === CONTROL.kfl && command === COMMAND.set) filtered(value.trim())
    })
  }

  show(kfl: string): void {
    this.#out?.write(writeMessage({ control: CONTROL.kfl, command: COMMAND.set, value: kfl }))
  }

  log(line: string): void {
    this.#out?.write(writeMessage({ control: CONTROL.log, command: COMMAND.add, value: `${line}\n` }))
  }
}
