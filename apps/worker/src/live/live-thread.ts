import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { QueryTooLarge } from '@tapdeck/index'
import { InventoryError } from '@tapdeck/inventory'
import { KflError } from '@tapdeck/kfl'
import { BadCursor } from '@tapdeck/questions'
import { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_MEMORY, blockViews } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import { loadSystemCalls } from '../capture/system-calls.ts'
import { internal, serveRequests, type ThreadFailure } from '../threads/serve-requests.ts'
import { Live } from './live.ts'
import type { LiveRequests, LiveStart } from './live-message.ts'

/** Time for pending answers to leave this thread before it exits. */
const FINAL_ANSWERS_MS = 100

/** A request that waits until the switch has reached this thread. */
interface PendingSwitch {
  readonly enabled: boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** The live thread: blocks of packets → calls → index and subscriptions; it answers all queries to the index. */
const start: LiveStart = workerData
const live = new Live(
  start,
  (notification) => parentPort!.postMessage(notification),
  // The worker restarts this thread, and the recording is indexed again.
  () => setTimeout(() => process.exit(1), FINAL_ANSWERS_MS),
)
let blocks: { readonly views: readonly Uint8Array[]; readonly lease: BlockLease } | undefined
/** Messages are handled strictly in order. */
let turn: Promise<unknown> = Promise.resolve()
let pending: PendingSwitch[] = []
/** Blocks that arrived and are not read yet. */
let unread = 0
/** Why indexing ends next, if it is not the switch. */
let endReason: string | undefined
/** Error of the last failed attempt to begin. */
let failure: unknown

serveRequests<LiveRequests>(
  parentPort!,
  {
    connect(port: MessagePort) {
      port.on('message', (message: BlockMessage) => {
        if (message.kind === 'block') unread++
        turn = turn
          .then(() => take(message))
          .catch(reportFault)
          .finally(() => {
            if (message.kind === 'block') unread--
          })
      })
      return undefined
    },
    indexing: (enabled) =>
      new Promise((resolve, reject) => {
        pending.push({ enabled, resolve: () => resolve(undefined), reject })
        turn = turn.then(settle)
      }),
    endReason(reason) {
      endReason = reason
      return undefined
    },
    targets(options) {
      live.setTargets(options)
      return undefined
    },
    credentialKey(key) {
      live.redactor?.setKey(Buffer.from(key, 'hex'))
      return undefined
    },
    names(delta) {
      live.applyNames(delta)
      return undefined
    },
    owners(events) {
      live.learnOwners(events)
      return undefined
    },
    keys(secrets) {
      live.learnKeys(secrets)
      return undefined
    },
    keysCaughtUp(readUntil) {
      live.keysCaughtUp(readUntil)
      return undefined
    },
    query: ({ name, input }) => live.query(name, input),
    subscribe({ subscription, kfl, traces }) {
      live.subscribe(subscription, kfl, traces)
      return undefined
    },
    unsubscribe({ subscription }) {
      live.unsubscribe(subscription)
      return undefined
    },
    status(progress) {
      live.recorded(progress, unread)
      return { ...live.status, lag: live.takeLag(), waiting: unread }
    },
    plan: (since) => live.plan(since),
    backfill: (input) => live.backfill(input),
    async stop() {
      await turn
      await live.close()
      setImmediate(() => process.exit())
      return undefined
    },
  },
  describe,
)

async function take(message: BlockMessage): Promise<void> {
  switch (message.kind) {
    case 'memory': {
      const calls = await loadSystemCalls()
      const memory = calls.view(message.address, BLOCK_MEMORY)
      blocks = { views: blockViews(memory, 0), lease: new BlockLease(message.lease) }
      return
    }
    case 'begin':
      failure = undefined
      await live.begin(message.preamble).catch((error: unknown) => {
        failure = error
      })
      return settle()
    case 'preamble':
      return live.push(message.bytes)
    case 'block':
      return live.push(blocks!.views[message.block].subarray(message.from, message.to))
    case 'release':
      return blocks!.lease.release(message.block)
    case 'end':
      failure = undefined
      await live.end(endReason)
      endReason = undefined
      return settle()
  }
}

function settle(): void {
  const before = pending
  pending = []
  for (const one of before) {
    if (one.enabled === live.indexing) one.resolve()
    else if (one.enabled && failure !== undefined) one.reject(failure)
    else pending.push(one)
  }
}

function reportFault(error: unknown): void {
  parentPort!.postMessage({ kind: 'fault', what: 'Indexing failed', detail: String(error) })
}

function describe(error: unknown): ThreadFailure {
  if (error instanceof KflError) {
    const { position, length, expected, suggestion } = error
    const place = {
      position,
      length,
      ...(expected && { expected }),
      ...(suggestion && { suggestion, hint: `Did you mean ${suggestion}?` }),
    }
    return { status: 400, code: 'bad_filter', detail: error.message, extensions: place }
  }
  if (error instanceof BadCursor) return { status: 400, code: 'bad_cursor', detail: error.message }
  if (error instanceof QueryTooLarge)
    return { status: 413, code: 'query_too_large', detail: error.message, extensions: { hint: error.hint } }
  if (error instanceof InventoryError)
    return { status: 400, code: 'invalid_inventory', detail: error.message }
  return internal(error)
}
