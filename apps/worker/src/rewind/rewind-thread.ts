import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { Problem } from '@tapdeck/api'
import { InventoryError } from '@tapdeck/inventory'
import { KflError } from '@tapdeck/kfl'
import { internal, serveRequests, type ThreadFailure } from '../threads/serve-requests.ts'
import { Rewind } from './rewind.ts'
import type { RewindRequests, RewindStart } from './rewind-message.ts'

/** The rewind thread: questions about the recording in, calls out. Nothing else of the worker waits for it. */
const start: RewindStart = workerData
const rewind = new Rewind(start, () => performance.now())

try {
  // Of this thread alone: recording and live indexing go first.
  setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // It works all the same.
}

serveRequests<RewindRequests>(
  parentPort!,
  {
    inventory(value) {
      rewind.setInventory(value)
      return undefined
    },
    owners(events) {
      rewind.learnOwners(events)
      return undefined
    },
    calls: async ({ held, query }) => JSON.stringify(await rewind.calls(held, query)),
    call: async ({ held, query }) => JSON.stringify(await rewind.call(held, query)),
  },
  describe,
)

function describe(error: unknown): ThreadFailure {
  if (error instanceof Problem) {
    const { status, code, message: detail, extensions } = error
    return { status, code, detail, extensions }
  }
  if (error instanceof KflError) {
    const { position, length } = error
    return { status: 400, code: 'bad_filter', detail: error.message, extensions: { position, length } }
  }
  if (error instanceof InventoryError)
    return { status: 400, code: 'invalid_inventory', detail: error.message }
  return internal(error)
}
