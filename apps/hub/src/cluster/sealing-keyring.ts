import { createSealingKey, type SealingKey } from '@tapdeck/tls'
import { z } from 'zod'
import type { StateStore } from '../state/state-store.ts'

const stored = z.object({
  keys: z
    .array(
      z.object({
        id: z.string().regex(/^[0-9a-f]{16}$/),
        key: z.string().regex(/^[0-9a-f]{64}$/),
        created_at: z.iso.datetime(),
      }),
    )
    .min(1),
})

type StoredKey = z.output<typeof stored>['keys'][number]

export const KEYRING_DOCUMENT = 'tls-sealing-keys'
const ROTATE_AFTER_MS = 7 * 86_400_000
/** More than a year of keys. What the oldest sealed cannot be opened any more. */
const MAX_KEYS = 64

/** The keyring, opened at the first use. A failure is not kept: the next use tries again. */
export type KeyringSource = () => Promise<SealingKeyring>

/** The keys that seal TLS secrets on workers and in snapshots. Only the hub stores them. */
export class SealingKeyring {
  readonly #state: StateStore
  readonly #now: () => number
  /** Newest first. */
  #keys: readonly StoredKey[]

  private constructor(state: StateStore, now: () => number, keys: readonly StoredKey[]) {
    this.#state = state
    this.#now = now
    this.#keys = keys
  }

  static source(state: StateStore, now: () => number): KeyringSource {
    let opening: Promise<SealingKeyring> | undefined
    return () => {
      opening ??= SealingKeyring.open(state, now).catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    }
  }

  /** Reads the keys, or makes the first one. Throws if the document cannot be read or written. */
  static async open(state: StateStore, now: () => number): Promise<SealingKeyring> {
    const keyring = new SealingKeyring(state, now, await load(state))
    await keyring.rotate()
    return keyring
  }

  /** Newest first: the first one seals. */
  get keys(): readonly { readonly id: string; readonly key: string }[] {
    return this.#keys.map(({ id, key }) => ({ id, key }))
  }

  get opening(): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#keys.map(({ id, key }) => [id, Buffer.from(key, 'hex')]))
  }

  get sealing(): SealingKey {
    const [newest] = this.#keys
    return { id: newest!.id, key: Buffer.from(newest!.key, 'hex') }
  }

  /** Adds a key if the newest one is old. Returns whether it did. */
  async rotate(): Promise<boolean> {
    const [newest] = this.#keys
    const now = this.#now()
    if (newest !== undefined && now - Date.parse(newest.created_at) < ROTATE_AFTER_MS) return false
    const { id, key } = createSealingKey()
    const added = {
      id,
      key: Buffer.from(key).toString('hex'),
      created_at: new Date(now).toISOString(),
    }
    const keys = [added, ...this.#keys].slice(0, MAX_KEYS)
    await this.#state.write(KEYRING_DOCUMENT, JSON.stringify({ keys }, null, 2))
    this.#keys = keys
    return true
  }
}

async function load(state: StateStore): Promise<readonly StoredKey[]> {
  try {
    const text = await state.read(KEYRING_DOCUMENT)
    return text === undefined ? [] : stored.parse(JSON.parse(text)).keys
  } catch (error) {
    throw new Error(
      `cannot read the keys for TLS secrets (${KEYRING_DOCUMENT}.json in ${state.address}): restore the file, or move it away to start with a new key`,
      { cause: error },
    )
  }
}
