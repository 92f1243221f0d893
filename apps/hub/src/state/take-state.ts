import { setTimeout as sleep } from 'node:timers/promises'
import { type ObjectStore, StorageProblem } from '@tapdeck/objects'
import { requireConditions, withoutConditions } from './require-conditions.ts'
import {
  DOCUMENT_PREFIX,
  describeOwner,
  type FoundHead,
  generationOf,
  readHead,
  type StateHead,
  type StateOwner,
  writeHead,
} from './state-head.ts'

export interface TakeStateRequest {
  readonly objects: ObjectStore
  readonly owner: StateOwner
  readonly goneAfterMs: number
  /** Waits for an owner that is alive, instead of an error. */
  readonly standby: boolean
  /** A line for the log: it waits, or the bucket does not answer. */
  note(line: string): void
}

export interface TakenState extends FoundHead {
  /** It was another hub's until now, which this one waited for. */
  readonly hasTakenOver: boolean
}

/** How often the head is looked at within the time after which its owner counts as gone. */
export const LOOKS = 6

/**
 * Makes this hub the owner of the state in a bucket. An owner that is alive writes: whether it does is seen by the version of
 * the head, so no clocks are compared. Throws where another hub is alive and this one is no standby.
 */
export async function takeState(request: TakeStateRequest): Promise<TakenState> {
  const { objects, owner, standby, note } = request
  let waited = false
  for (;;) {
    const found = await readWhenThere(request)
    const mine = found?.head.owner?.folder === owner.folder
    // The lock of the data folder is ours: an earlier run with it has ended.
    if (found && found.head.owner !== null && !mine) {
      if (standby && !waited)
        note(`waiting for the state in ${objects.address}: ${describeOwner(found.head)} has it`)
      waited ||= standby
      if (!(await isGone(found, request))) {
        if (standby) continue
        throw new Error(
          `another hub uses the state in ${objects.address}: ${describeOwner(found.head)}. Stop it, or start this one with hub.standby=true.`,
        )
      }
    }
    try {
      const last = found?.head.generation ?? (await lastGeneration(objects))
      const head = nextHead(found?.head, last, request)
      const version = await writeHead(objects, head, found?.version)
      await requireConditions(objects, { head, version })
      return { head, version, hasTakenOver: waited }
    } catch (error) {
      if (!(error instanceof StorageProblem)) throw error
      if (error.kind === 'unsupported')
        throw withoutConditions(objects, 'refuses conditions of writes', error)
      // Our own write, whose answer did not arrive; or another hub was faster.
      const now = await readWhenThere(request)
      if (now?.head.owner?.run === owner.run) return { ...now, hasTakenOver: waited }
      if (error.kind !== 'exists' && error.kind !== 'missing' && !error.isTemporary) throw error
    }
  }
}

/** Where the head was deleted: what its hubs left is swept by the generations that follow. */
async function lastGeneration(objects: ObjectStore): Promise<number> {
  let last = 0
  for await (const { key } of objects.list(DOCUMENT_PREFIX)) last = Math.max(last, generationOf(key) || 0)
  return last
}

function nextHead(
  before: StateHead | undefined,
  last: number,
  { owner, goneAfterMs }: TakeStateRequest,
): StateHead {
  return {
    format: 1,
    generation: last + 1,
    beat: (before?.beat ?? 0) + 1,
    gone_after_ms: goneAfterMs,
    owner,
    documents: before?.documents ?? {},
  }
}

/** The owner says in the head how long it may be silent. Time in which the bucket did not answer does not count. */
async function isGone({ head, version }: FoundHead, request: TakeStateRequest): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    await sleep(Math.ceil(head.gone_after_ms / LOOKS))
    const now = await readWhenThere(request, () => {
      look = -1
    })
    if (now?.version !== version) return false
  }
  return true
}

/** Waits for a bucket that does not answer: only it knows who has the state. */
async function readWhenThere(
  { objects, goneAfterMs, note }: TakeStateRequest,
  away = () => {},
): Promise<FoundHead | undefined> {
  for (let failures = 0; ; failures++)
    try {
      return await readHead(objects)
    } catch (error) {
      if (!(error instanceof StorageProblem && error.isTemporary)) throw error
      away()
      if (failures === 0) note(`waiting for the state in ${objects.address}: ${error.message}`)
      await sleep(Math.ceil(goneAfterMs / LOOKS))
    }
}
