import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { Problem } from '@tapdeck/api'
import { InventoryError } from '@tapdeck/inventory'
import { KflError } from '@tapdeck/kfl'
import { internal, serveRequests, type ThreadFailure } from '../threads/serve-requests.ts'
import { Rewind } from './rewind.ts'
import type { RewindRequests, RewindStart } from './rewind-message.ts'

/** The rewind thread: answers queries with calls from the recording. No other thread waits for it. */
const start: RewindStart = workerData
const rewind = new Rewind(start, () => performance.now())

try {
  // Only this thread: recording and live indexing have priority.
  setPriority(constants.priority.PRIORITY_LOW)
} catch {
  // It also works at normal priority.
}

serveRequests<RewindRequests>(
  parentPort!,
  {
    inventory(value) {
      rewind.setInventory(value)
      return undefined
    },
    credentialKey(key) {
      rewind.setCredentialKey(key)
      return undefined
    },
    owners(events) {
      rewind.learnOwners(events)
      return undefined
    },
    keys(secrets) {
      rewind.learnKeys(secrets)
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
