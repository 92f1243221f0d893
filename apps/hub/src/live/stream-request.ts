import { Problem, type StreamRequest } from '@tapdeck/api'
import { z } from 'zod'

const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('filter'), kfl: z.string().max(65_536) }),
  z.object({ kind: z.literal('pause') }),
  z.object({ kind: z.literal('resume') }),
])

/** What a dashboard says. Throws a `Problem` for anything else. */
export function streamRequest(text: string): StreamRequest {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    throw new Problem(400, 'invalid_input', 'a stream takes filter, pause and resume as JSON')
  }
}
