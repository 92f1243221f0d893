import type { ObjectStore } from '@tapdeck/objects'
import { z } from 'zod'
import { MAX_DOCUMENTS } from './state-store.ts'

export const HEAD_KEY = 'state/head.json'
export const DOCUMENT_PREFIX = 'state/documents/'
/** Each document is a line of less than 200 bytes. */
const MAX_HEAD_BYTES = 1024 * 1024
const FORMAT = 1

const shape = z.object({
  format: z.literal(FORMAT),
  /** Grows with each hub that takes the state over, so that no two of them write the same keys. */
  generation: z.number().int().min(1),
  /** Grows with each write: hubs see by it, without a clock, that the owner is alive. */
  beat: z.number().int(),
  /** After so many milliseconds without a write, the owner counts as gone. */
  gone_after_ms: z.number().int().min(1),
  /** Null: it has ended, and another hub may begin at once. */
  owner: z
    .object({
      /** Of this run of the process. */
      run: z.string(),
      /** Of its data folder. */
      folder: z.string(),
      pid: z.number(),
      host: z.string(),
      since: z.string(),
    })
    .nullable(),
  documents: z
    .record(z.string(), z.string().startsWith(DOCUMENT_PREFIX))
    .refine((documents) => Object.keys(documents).length <= MAX_DOCUMENTS),
})

/** Which hub has the state, and the key of each document. What the head does not name does not exist. */
export type StateHead = Readonly<z.output<typeof shape>>
export type StateOwner = NonNullable<StateHead['owner']>

export interface FoundHead {
  readonly head: StateHead
  readonly version: string
}

/** Undefined in a bucket without state. Throws where the head is damaged or of a newer version. */
export async function readHead(objects: ObjectStore, signal?: AbortSignal): Promise<FoundHead | undefined> {
  const found = await objects.getVersion(HEAD_KEY, MAX_HEAD_BYTES, signal)
  if (found === undefined) return undefined
  const where = `${HEAD_KEY} in ${objects.address}`
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(found.bytes).toString())
  } catch (error) {
    throw new Error(`${where} is damaged. ${RESTORE}`, { cause: error })
  }
  const format = z.object({ format: z.number().min(FORMAT + 1) }).safeParse(json)
  if (format.success)
    throw new Error(
      `${where} has format ${format.data.format}, which a newer version of Tapdeck wrote; this one reads format ${FORMAT}. Update this hub.`,
    )
  const head = shape.safeParse(json)
  if (!head.success) throw new Error(`${where} is damaged. ${RESTORE}`, { cause: head.error })
  return { head: head.data, version: found.version }
}

const RESTORE =
  'Restore it from a version of the bucket, or delete it to start with the state of the data folder.'

/** Returns the version that was written. Throws `exists` where another hub wrote since `version`. */
export function writeHead(
  objects: ObjectStore,
  head: StateHead,
  version: string | undefined,
  signal?: AbortSignal,
): Promise<string> {
  const bytes = Buffer.from(JSON.stringify(head))
  const condition = version === undefined ? { onlyNew: true } : { replaces: version }
  return objects.put(HEAD_KEY, bytes, condition, signal)
}

/** Of the hub that wrote a document; NaN for a key that none did. */
export function generationOf(key: string): number {
  const digits = /^(\d{1,15})-/.exec(key.slice(DOCUMENT_PREFIX.length))?.[1]
  return digits === undefined ? Number.NaN : Number(digits)
}

export function describeOwner({ owner }: StateHead): string {
  return owner === null ? 'no hub' : `process ${owner.pid} on ${owner.host}, since ${owner.since}`
}
