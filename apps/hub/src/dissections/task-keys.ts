import { type KeySource, KeyStore, parseKeyLogLine } from '@tapdeck/tls'
import { TLS_KEY_LOG } from '@tapdeck/wire'
import type { DissectionTask } from './dissection-task.ts'

/** The TLS secrets for a capture: those of its node in the snapshot, and those in the capture itself. */
export class TaskKeys {
  readonly #decrypt: boolean
  #store: KeyStore | undefined

  constructor({ files, decrypt }: DissectionTask, node: string) {
    this.#decrypt = decrypt
    const secrets = decrypt ? files.find((file) => file.node === node)?.secrets : undefined
    if (secrets === undefined) return
    this.#store = new KeyStore()
    for (const { line, source } of secrets) {
      const entry = parseKeyLogLine(line)
      if (entry !== undefined) this.#store.add(entry, source)
    }
  }

  /** A secrets block of the capture. */
  addBlock(type: number, data: Uint8Array): void {
    if (!this.#decrypt || type !== TLS_KEY_LOG) return
    this.#store ??= new KeyStore()
    this.#store.addKeyLog(Buffer.from(data).toString('latin1'), 'secrets_block')
  }

  /** Undefined: nothing is opened. */
  get source(): KeySource | undefined {
    return this.#store
  }
}
