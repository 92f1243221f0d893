import {
  type Call,
  CallRecord,
  Dissection,
  firstByteOf,
  latencyOf,
  type Peers,
  packExchange,
  unpackExchange,
} from '@tapdeck/dissect'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import { Pipeline } from '@tapdeck/pipeline'
import { madeInventory } from '@tapdeck/pipeline/testing'
import { CaptureReader, Malformed, type Shard } from '@tapdeck/wire'
import { dirtyBuffers } from '../../packages/dissect/src/conformance/dirty-buffers.ts'
import { observe } from '../../packages/dissect/src/conformance/observation.ts'
import { byteByByte, noise, seeded, whole } from '../../packages/dissect/src/conformance/replay.ts'
import { beginsInOrder } from './begins-in-order.ts'
import { eventsOf, type Input } from './input.ts'

/** What became of an input. */
export interface Outcome {
  /** What was seen, coarsely: an input that shows something new is worth changing further. */
  readonly signature: string
  /** Why this input is a finding; none where all is well. */
  readonly problem?: string
  readonly calls: number
}

export type Manner = 'whole' | 'bytes' | 'tight'

/** Other packets of the same memory. */
const AROUND = 96

/** Ceilings so low that every one of them is reached. */
const TIGHT = { body: 256, frame: 1024, probe: 512, pending: 4, total: 16 * 1024, patience: 1_000_000 }

/** Runs one input to its end through engine and pipeline, over disk's form and into JSON, as a user would see it. */
export function tryInput(input: Input, manner: Manner): Outcome {
  try {
    return input.door === 'stream' ? tryStream(input, manner) : tryPackets(input, manner)
  } catch (error) {
    return { signature: '', calls: 0, problem: describe(error) }
  }
}

function tryStream(input: Extract<Input, { door: 'stream' }>, manner: Manner): Outcome {
  const options = {
    cuts: manner === 'bytes' ? byteByByte : whole,
    ...(manner === 'tight' ? { limits: TIGHT } : {}),
  }
  // Every input has its own bytes around it, and the same each time that it is tried.
  const around = input.turns.reduce((sum, { bytes, at }) => (Math.imul(sum, 31) + bytes.length + at) | 0, 1)
  const observed = observe(eventsOf(input), { ...options, around })
  const { calls, protocols, loss, faults, leaked } = observed
  const signature = [
    protocols.join(),
    Object.keys(loss).sort().join(),
    [
      ...new Set(
        calls.map(({ proto, method, status, error }) => `${proto} ${shape(method)} ${status} ${error}`),
      ),
    ]
      .sort()
      .join(),
  ].join('|')
  const problem =
    faults.length > 0
      ? describe(faults[0])
      : leaked !== 0
        ? `${leaked} bytes leaked`
        : JSON.stringify(observed) !==
            JSON.stringify(observe(eventsOf(input), { ...options, lasting: true, around: around + 1 }))
          ? 'read otherwise where the bytes last, or others stand around them'
          : undefined
  return { signature, calls: calls.length, ...(problem === undefined ? {} : { problem }) }
}

function tryPackets(input: Exclude<Input, { door: 'stream' }>, manner: Manner): Outcome {
  const first = dissected(input, manner, 1)
  const { faults, leaked, loss, seen, calls } = first
  const differs = () => !isSame(first, dissected(input, manner, 2))
  const sharedOtherwise = () =>
    input.door === 'file' &&
    [0, 1].some((index) => {
      const shard = { index, count: 2 }
      return !isSame(dissected(input, manner, 1, shard), dissected(input, manner, 2, shard))
    })
  const problem =
    faults.length > 0
      ? describe(faults[0])
      : leaked !== 0
        ? `${leaked} bytes leaked`
        : differs()
          ? 'read otherwise where other packets stand around it, or its bytes do not last'
          : sharedOtherwise()
            ? 'read otherwise by one of two where foreign packets are left out'
            : manner === 'whole' && !isSharedAlike(input, first)
              ? 'two threads together read otherwise than one'
              : undefined
  const signature = [Object.keys(loss).sort().join(), [...seen].sort().join()].join('|')
  return { signature, calls: calls.length, ...(problem === undefined ? {} : { problem }) }
}

/** Two that share the packets find the same calls and flows as one. Times and names of DNS answers need all lookups: not compared. */
function isSharedAlike(input: Exclude<Input, { door: 'stream' }>, alone: Dissected): boolean {
  if (input.door === 'packets' && !beginsInOrder(input.packets)) return true
  const shares = [0, 1].map((index) => dissected(input, 'whole', 1, { index, count: 2 }))
  const sorted = (texts: readonly string[]) =>
    texts.map((text) => text.replace(/"dns":"[^"]*",?/g, '')).sort()
  return (['calls', 'flows'] as const).every(
    (part) => sorted(shares.flatMap((share) => share[part])).join('\n') === sorted(alone[part]).join('\n'),
  )
}

type Dissected = ReturnType<typeof dissected>

function isSame(one: Dissected, other: Dissected): boolean {
  const all = ({ calls, flows, loss }: Dissected) => JSON.stringify([calls, flows, loss])
  return all(one) === all(other)
}

/** Names of the addresses that mutations give to other views of a connection. */
const resolver = createResolver(madeInventory)

function dissected(input: Exclude<Input, { door: 'stream' }>, manner: Manner, around: number, shard?: Shard) {
  const faults: unknown[] = []
  const seen = new Set<string>()
  const calls: string[] = []
  const flows: string[] = []
  const pipeline = new Pipeline(
    { names: { resolver: () => resolver, dns: new SeenNames() } },
    {
      call: (call) => {
        const peers = pipeline.name(call)!
        seen.add(`${call.protocol} ${shape(call.summary.method)} ${call.missing} ${pipeline.duplicates > 0}`)
        calls.push(JSON.stringify(shown(call, peers)))
      },
      flow: (flow, peers) => flows.push(JSON.stringify([flow.id, flow.tcp, flow.directions, peers])),
    },
  )
  const dissection = new Dissection({
    ...pipeline.handlers,
    fault: (error) => faults.push(error),
    ...(shard !== undefined && { shard }),
    ...(manner === 'tight' ? { limits: TIGHT, streamLimits: { flows: 4, fragments: 4 } } : {}),
  })
  if (input.door === 'packets') {
    const random = seeded(around)
    dirtyBuffers(random)
    let time = 1_700_000_000_000_000
    for (const packet of input.packets) {
      time += 1000
      const memory = noise(packet.length + 2 * AROUND, random)
      memory.set(packet, AROUND)
      dissection.packet(memory, AROUND, AROUND + packet.length, packet.length, time, input.link)
    }
  } else read(input.bytes, dissection, manner, around === 1)
  dissection.end()
  return { faults, leaked: dissection.engine.budget.used, loss: dissection.loss, seen, calls, flows }
}

/** A file may be refused, clearly; nothing else may happen. */
function read(bytes: Uint8Array, dissection: Dissection, manner: Manner, isLasting: boolean): void {
  const reader = new CaptureReader(dissection, dissection.loss)
  // The first chunk is read whole by all who share a file.
  const step = manner === 'bytes' ? 7 : dissection.dropsForeignPackets && isLasting ? 199 : bytes.length
  try {
    for (let at = 0; at < bytes.length; at += step)
      reader.push(bytes.slice(at, at + step), isLasting && manner !== 'bytes')
    reader.end()
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

function shown(call: Call, peers: Peers): CallRecord {
  const { flow, protocol, summary } = call
  const packed = packExchange(call)
  return new CallRecord({
    id: '1',
    ts: call.start / 1000,
    ...peers,
    proto: protocol,
    ...summary,
    latency_ms: latencyOf(call),
    ttfb_ms: firstByteOf(call),
    flow_id: flow.id,
    node_id: 'node',
    capture_source: 'file',
    exchange: () => unpackExchange(protocol, packed),
  })
}

/** Free text would make everything look new. */
function shape(text: string | undefined): string {
  return (text ?? '').slice(0, 12)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
