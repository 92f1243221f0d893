import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { openRecords, type SealingKey, sealRecord } from '@tapdeck/tls'

const KEY = /^[0-9a-f]{64}$/i

/** Seals state documents, so that the bucket neither shows them nor can add to them. */
export class StateSeal {
  readonly #key: SealingKey

  /** `key`: 32 bytes. */
  constructor(key: Uint8Array) {
    const id = createHash('sha256').update('tapdeck state').update(key).digest('hex').slice(0, 16)
    this.#key = { id, key }
  }

  /** Throws where the file is not a key. */
  static async load(file: string): Promise<StateSeal> {
    if (file === '')
      throw new Error(
        'hub.state is s3, and hub.stateKeyFile is empty. Name a file with a key that all hubs of the bucket have: openssl rand -hex 32 > state.key',
      )
    const text = await readFile(file, 'utf8').catch((error: Error) => {
      throw new Error(`hub.stateKeyFile: ${error.message}`)
    })
    if (!KEY.test(text.trim()))
      throw new Error(
        `hub.stateKeyFile: ${file} does not have a key of 64 hexadecimal digits. Make one: openssl rand -hex 32 > ${file}`,
      )
    return new StateSeal(Buffer.from(text.trim(), 'hex'))
  }

  /** The name is sealed with it: a document cannot take the place of another. */
  seal(name: string, text: string): Buffer {
    return sealRecord(this.#key, Buffer.from(`${name}\n${text}`))
  }

  /** Throws where it was changed, is of another name, or was sealed with another key. */
  open(name: string, bytes: Uint8Array): string {
    const keys = new Map([[this.#key.id, this.#key.key]])
    const { records, locked, damaged } = openRecords(Buffer.from(bytes), keys)
    if (locked > 0) throw new Error('it was sealed with another key than that of hub.stateKeyFile')
    const text = records[0]?.toString()
    if (records.length !== 1 || damaged > 0 || !text?.startsWith(`${name}\n`))
      throw new Error('it is damaged')
    return text.slice(name.length + 1)
  }
}
