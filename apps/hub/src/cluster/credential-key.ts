import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { StateStore } from '../state/state-store.ts'

const DOCUMENT = 'credential-key'
const BYTES = 32

const stored = z.object({ key: z.string().regex(/^[0-9a-f]{64}$/) })

/**
 * The key of the hashes that are stored instead of credentials, in hexadecimal. It is made once: with another key, equal
 * credentials could not be recognized. Throws if the document cannot be read or written.
 */
export async function openCredentialKey(state: StateStore): Promise<string> {
  try {
    const text = await state.read(DOCUMENT)
    if (text !== undefined) return stored.parse(JSON.parse(text)).key
  } catch (error) {
    throw new Error(
      `cannot read the key for hashes of credentials (${DOCUMENT}.json in ${state.address}): restore the file, or move it away to start with a new key`,
      { cause: error },
    )
  }
  const key = randomBytes(BYTES).toString('hex')
  await state.write(DOCUMENT, JSON.stringify({ key }))
  return key
}
