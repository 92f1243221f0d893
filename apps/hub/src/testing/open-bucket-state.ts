import { openS3 } from '@tapdeck/objects/s3'
import type { S3Server } from '@tapdeck/objects/testing'
import { BucketState } from '../state/bucket-state.ts'
import { StateSeal } from '../state/state-seal.ts'
import type { StateStore } from '../state/state-store.ts'
import { takeState } from '../state/take-state.ts'

export interface BucketStateForTests {
  readonly state: BucketState
  readonly hasTakenOver: boolean
  /** Why it lost the state; empty while it has it. */
  readonly lost: string[]
  readonly away: (string | undefined)[]
}

interface Options {
  /** The id of its data folder. */
  readonly folder: string
  readonly standby?: boolean
  readonly goneAfterMs?: number
  readonly key?: number
  readonly headWithinMs?: number
  readonly initial?: StateStore
  readonly note?: (line: string) => void
  /** It is frozen between taking the state and using it, until then. */
  readonly continued?: Promise<void>
}

let runs = 0

/** The state in the bucket of a test, taken as a hub with that data folder does. */
export async function openBucketState(server: S3Server, options: Options): Promise<BucketStateForTests> {
  const { folder, standby = false, goneAfterMs = 600_000, key = 7, headWithinMs, note = () => {} } = options
  const objects = openS3({
    ...{ bucket: 'tests', prefix: '', endpoint: server.endpoint, region: 'eu-west-1', pathStyle: true },
    ...{ encryption: '', kmsKey: '' },
  })
  const owner = { run: `run ${++runs}`, folder, pid: 1, host: folder, since: '2026-01-01T00:00:00Z' }
  const taken = await takeState({ objects, owner, goneAfterMs, standby, note })
  await options.continued
  const lost: string[] = []
  const away: (string | undefined)[] = []
  const state = await BucketState.open(
    {
      ...{ objects, taken, seal: new StateSeal(Buffer.alloc(32, key)) },
      ...(headWithinMs !== undefined && { headWithinMs }),
      lost: (reason) => void lost.push(reason),
      away: (reason) => void away.push(reason),
    },
    options.initial,
  )
  return { state, hasTakenOver: taken.hasTakenOver, lost, away }
}
