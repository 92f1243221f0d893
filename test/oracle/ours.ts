import { readFileSync } from 'node:fs'
import { type Call, Dissection, toCallRecord } from '@tapdeck/dissect'
import { type Address, CaptureReader, type Flow } from '@tapdeck/wire'
import { flowOf, type OurMessage } from './message.ts'

/** What we make of a capture. */
export interface Ours {
  /** Both messages of each call, as its flow stood then: who is the client may turn out otherwise later. */
  readonly messages: readonly OurMessage[]
  readonly flows: readonly SpokenFlow[]
}

interface SpokenFlow {
  readonly flow: Flow
  /** Protocols in the order in which they were spoken. */
  readonly spoken: readonly string[]
}

export function dissect(file: string): Ours {
  const messages: OurMessage[] = []
  const flows: SpokenFlow[] = []
  const dissection = new Dissection({
    emit: (call) => messages.push(...halvesOf(call)),
    flow: (flow, spoken) => flows.push({ flow, spoken: [...spoken] }),
    fault: (error) => {
      throw error
    },
  })
  const reader = new CaptureReader(dissection, dissection.loss)
  reader.push(new Uint8Array(readFileSync(file)))
  reader.end()
  dissection.end()
  return { messages, flows }
}

/** Both messages of a call, each with the end that said it and the time at which it was complete. */
function halvesOf(call: Call): OurMessage[] {
  const { flow, side, request, response } = call
  const shown = toCallRecord(
    call,
    { src: flow.ends[side], dst: flow.ends[1 - side] },
    'node',
    'file',
  ).toJSON()
  const ends = flow.ends.map(endOf)
  const common = { flow: flowOf(flow.transport, ends[0], ends[1]), call: shown }
  const messages: OurMessage[] = []
  if (request?.end !== undefined)
    messages.push({
      ...common,
      from: ends[side],
      time: request.end,
      is: request.kind === 'event' ? 'event' : 'request',
    })
  if (response?.end !== undefined)
    messages.push({
      ...common,
      from: ends[1 - side],
      time: response.end,
      is: 'response',
      ...(request?.end === undefined ? {} : { asked: request.end }),
    })
  return messages
}

export function endOf({ ip, port }: Address): string {
  return `${ip}:${port}`
}
