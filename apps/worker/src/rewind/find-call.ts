import type { WorkerRequests } from '@tapdeck/api'
import type { CallRecord } from '@tapdeck/dissect'
import { WindowReader } from '@tapdeck/recording'
import { ANY_PORT_KEY, addressKey, CaptureReader, FlowFinder, PacketEnds, portKey } from '@tapdeck/wire'
import { type Bench, dissectWindow } from './dissect-window.ts'
import type { HeldParts } from './held-parts.ts'
import type { Spending } from './spending.ts'

/** The first packet of a flow: when, and between whom. */
interface FlowBegin {
  readonly time: number
  readonly parties: readonly (readonly number[])[]
}

/**
 * Finds a call by its id: first the packet that its flow began with, by the headers of all packets, the newest segment
 * first; then the call, by dissecting that flow from there on. Undefined where it is not there, or the budget ended.
 */
export async function findCall(
  held: HeldParts,
  {
    id,
    start = Number.NEGATIVE_INFINITY,
    end = Number.POSITIVE_INFINITY,
  }: WorkerRequests['rewind_call']['input'],
  bench: Bench,
  spending: Spending,
): Promise<CallRecord | undefined> {
  const [ordinal, flow] = id.split('/').reverse().map(Number)
  if (!Number.isSafeInteger(flow) || !Number.isSafeInteger(ordinal)) return undefined
  const begin = await findBegin(held, Number(flow), start * 1000, end * 1000, spending)
  if (begin === undefined) return undefined
  let found: CallRecord | undefined
  await dissectWindow(
    held,
    {
      from: begin.time,
      to: Number.MAX_SAFE_INTEGER,
      parties: begin.parties,
      call(call, record) {
        if (call.flow.id === flow && call.ordinal === ordinal) found = record()
      },
      progress: (bytes, packets) => spending.spend(bytes, packets) && found === undefined,
    },
    bench,
  )
  return found
}

async function findBegin(
  held: HeldParts,
  flow: number,
  from: number,
  to: number,
  spending: Spending,
): Promise<FlowBegin | undefined> {
  const finder = new FlowFinder()
  const ends = new PacketEnds()
  for (const part of held.within(from, to).reverse()) {
    let found: FlowBegin | undefined
    const capture = new CaptureReader(
      {
        packet(data, start, end, length, time, link) {
          if (found || finder.idOf(data, start, end, length, time, link) !== flow) return
          if (ends.read(data, start, end, length, link)) found = { time, parties: partiesOf(ends) }
        },
      },
      {},
    )
    const reader = new WindowReader([part], part.start / 1000, part.end / 1000, null, [], { keepOpen: true })
    let read = 0
    for await (const chunk of reader) {
      capture.push(chunk)
      if (found) return found
      if (!spending.spend(reader.readBytes - read, 0)) return undefined
      read = reader.readBytes
    }
    spending.finish([])
  }
  return undefined
}

function partiesOf({ source, destination, sourcePort, destinationPort }: PacketEnds): number[][] {
  const hosts = [[addressKey(source)], [addressKey(destination)]]
  if (sourcePort === 0 && destinationPort === 0) return hosts
  return [...hosts, [portKey(sourcePort), ANY_PORT_KEY], [portKey(destinationPort), ANY_PORT_KEY]]
}
