import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkerRequests } from '@tapdeck/api'
import { nodeFileName, type SnapshotStore, writeDurably } from '@tapdeck/recording'
import { openRecords } from '@tapdeck/tls'
import { z } from 'zod'
import type { KeyringSource } from '../cluster/sealing-keyring.ts'
import type { Worker } from '../cluster/worker.ts'

/** A TLS secret of a snapshot. */
export interface SnapshotSecret {
  readonly line: string
  readonly source: string
}

type KeyWindow = WorkerRequests['key_window']['input']

const PIECE_WITHIN = 30_000
/** Sealed secrets of one node. */
const MAX_BYTES = 64 * 1024 * 1024
const secrets = z.array(z.object({ line: z.string().max(1024), source: z.string().max(64) }))

/** The TLS secrets of snapshots, sealed, in a file for each node next to its packets. */
export class SnapshotKeys {
  readonly #store: SnapshotStore
  readonly #keyring: KeyringSource

  constructor(store: SnapshotStore, keyring: KeyringSource) {
    this.#store = store
    this.#keyring = keyring
  }

  /** Stores the secrets that a worker has of a window. */
  async keep(name: string, window: KeyWindow, worker: Worker, signal?: AbortSignal): Promise<void> {
    const sealed = await sealedSecrets(worker, window, signal)
    await writeDurably(this.#path(name, worker.node), sealed.toString('base64'))
  }

  /** The secrets that a worker has of a window now. */
  async of(worker: Worker, window: KeyWindow, signal?: AbortSignal): Promise<SnapshotSecret[]> {
    return this.#open(await sealedSecrets(worker, window, signal))
  }

  /** The secrets of a node; undefined if none were collected for it. Those that no key opens are left out. */
  async read(name: string, node: string): Promise<SnapshotSecret[] | undefined> {
    let sealed: Buffer
    try {
      sealed = Buffer.from(await readFile(this.#path(name, node), 'utf8'), 'base64')
    } catch {
      return undefined
    }
    return this.#open(sealed)
  }

  async #open(sealed: Buffer): Promise<SnapshotSecret[]> {
    if (sealed.length === 0) return []
    const { records } = openRecords(sealed, (await this.#keyring()).opening)
    return records.flatMap((record) => {
      const read = secrets.safeParse(parsed(String(record)))
      return read.success ? read.data : []
    })
  }

  #path(name: string, node: string): string {
    return join(this.#store.path(name), nodeFileName(node, '.tls-keys.sealed'))
  }
}

async function sealedSecrets(worker: Worker, window: KeyWindow, signal?: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  await worker.stream(
    'key_window',
    window,
    async (piece) => {
      bytes += piece.length
      if (bytes > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes of TLS secrets`)
      pieces.push(piece)
    },
    { patience: PIECE_WITHIN, ...(signal && { signal }) },
  )
  return Buffer.concat(pieces)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
