import { MAX_FILTER, Problem, type StreamRequest } from '@tapdeck/api'
import { z } from 'zod'
import { filterTooLong } from '../input/refuse-too-large.ts'

/** Every message that a stream takes. */
export const streamRequestShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('filter'), kfl: z.string() }),
  z.object({ kind: z.literal('pause') }),
  z.object({ kind: z.literal('resume') }),
])

/** What a dashboard sent. Throws a `Problem` for anything that is no request, and for a filter that is too long. */
export function streamRequest(text: string): StreamRequest {
  const request = read(text)
  if (request.kind === 'filter' && request.kfl.length > MAX_FILTER) throw filterTooLong(request.kfl.length)
  return request
}

function read(text: string): StreamRequest {
  try {
    return streamRequestShape.parse(JSON.parse(text))
  } catch {
    throw new Problem(
      400,
      'invalid_input',
      'Unknown message: a stream accepts filter, pause and resume as JSON',
    )
  }
}
