import type { CallRecord } from '@tapdeck/dissect'
import { z } from 'zod'
import { oneCall } from './call-row.ts'
import { ownHandshakes } from './calls.ts'
import type { Question, VisibleCall } from './question.ts'
import { MIB } from './terms.ts'

const input = z.object({ id: z.string() })
const output = z.object({ call: oneCall })

declare module './question.ts' {
  interface Questions {
    call: Asked<typeof input, typeof output>
  }
  interface CallReader {
    call(id: string): Promise<CallRecord | undefined>
  }
}

export const call: Question<'call'> = {
  input,
  output,
  largest: 64 * MIB,

  async answer(index, { id }) {
    return { call: (await index.call(id))?.toJSON() ?? null }
  },

  async merge(sources, input) {
    const answers = [...(await sources.ask('call', input)).values()]
    return { call: answers.find(({ call }) => call !== null)?.call ?? null }
  },

  async narrow(input, narrowing) {
    const { call } = await narrowing.ask('call', input)
    const found = call as VisibleCall | null
    return { call: found !== null && narrowing.sees(found) ? ownHandshakes(call, narrowing) : null }
  },

  async redact(input, { ask, call }) {
    return { call: call((await ask('call', input)).call) }
  },
}
