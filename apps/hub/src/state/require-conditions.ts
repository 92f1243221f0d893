import { type ObjectStore, StorageProblem } from '@tapdeck/objects'
import { type FoundHead, writeHead } from './state-head.ts'

/** The version of nothing. */
const NO_VERSION = `"${'0'.repeat(32)}"`

/**
 * Throws where the storage takes a write whose condition does not hold: two hubs could have the state there at the same time. It
 * writes the head as it is, so nothing changes.
 */
export async function requireConditions(objects: ObjectStore, { head }: FoundHead): Promise<void> {
  const header = (await isTaken(objects, head, undefined))
    ? 'If-None-Match'
    : (await isTaken(objects, head, NO_VERSION))
      ? 'If-Match'
      : undefined
  if (header !== undefined) throw withoutConditions(objects, `ignores the condition ${header} of a write`)
}

export function withoutConditions({ address }: ObjectStore, what: string, cause?: unknown): Error {
  return new Error(
    `hub.state is s3, and ${address} ${what}: two hubs could change the state at the same time. Use another storage, or hub.state=folder.`,
    { cause },
  )
}

/** Not what is refused for another reason: that will show in the writes that follow. */
async function isTaken(
  objects: ObjectStore,
  head: FoundHead['head'],
  version: string | undefined,
): Promise<boolean> {
  try {
    await writeHead(objects, head, version)
    return true
  } catch (error) {
    if (error instanceof StorageProblem) return false
    throw error
  }
}
