import type { WorkerRequests } from '@tapdeck/api'
import type { CallRecord } from '@tapdeck/dissect'
import { WindowReader } from '@tapdeck/recording'
import { ANY_PORT_KEY, addressKey, CaptureReader, FlowFinder, PacketEnds, portKey } from '@tapdeck/wire'
import type { BudgetMeter } from './budget-meter.ts'
import { type DissectionContext, dissectWindow } from './dissect-window.ts'
import type { HeldSegments } from './held-segments.ts'

/** How far behind a call it reads on, in microseconds of packet time: retransmissions of the response follow within seconds. */
const LATE_US = 15_000_000

/** Time and parties of the first packet of a flow. */
interface FlowBegin {
  readonly time: number
  readonly parties: readonly (readonly number[])[]
}

/**
 * Finds a call by its id. First finds the first packet of its flow by the packet headers, newest segment first; then
 * dissects that flow from there. Returns undefined if the call is not found or the budget is exhausted.
 */
export async function findCall(
  held: HeldSegments,
  {
    id,
    start = Number.NEGATIVE_INFINITY,
    end = Number.POSITIVE_INFINITY,
  }: WorkerRequests['rewind_call']['input'],
  context: DissectionContext,
  meter: BudgetMeter,
): Promise<CallRecord | undefined> {
  const [ordinal, flow] = id.split('/').reverse().map(Number)
  if (!Number.isSafeInteger(flow) || !Number.isSafeInteger(ordinal)) return undefined
  const begin = await findBegin(held, Number(flow), start * 1000, end * 1000, meter)
  if (begin === undefined) return undefined
  let found: CallRecord | undefined
  let last = Number.POSITIVE_INFINITY
  await dissectWindow(
    held,
    {
      from: begin.time,
      to: Number.MAX_SAFE_INTEGER,
      parties: begin.parties,
      call(call, record) {
        if (call.flow.id !== flow || call.ordinal !== ordinal) return
        found = record()
        last = call.end
      },
      progress: (bytes, packets, time) => meter.spend(bytes, packets) && time - last < LATE_US,
    },
    context,
  )
  return found
}

async function findBegin(
  held: HeldSegments,
  flow: number,
  from: number,
  to: number,
  meter: BudgetMeter,
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
      if (!meter.spend(reader.readBytes - read, 0)) return undefined
      read = reader.readBytes
    }
    meter.finish([])
  }
  return undefined
}

function partiesOf({ source, destination, sourcePort, destinationPort }: PacketEnds): number[][] {
  const hosts = [[addressKey(source)], [addressKey(destination)]]
  if (sourcePort === 0 && destinationPort === 0) return hosts
  return [...hosts, [portKey(sourcePort), ANY_PORT_KEY], [portKey(destinationPort), ANY_PORT_KEY]]
}
