import { Problem } from '@tapdeck/api'
import { BpfError } from '@tapdeck/bpf'
import { InventoryError } from '@tapdeck/inventory'
import { KflError } from '@tapdeck/kfl'
import { NameTaken, NoRoom } from '@tapdeck/recording'
import type { Log } from '../log.ts'
import { version } from '../version.ts'

/** What a thrown error means to a caller. What nobody foresaw is logged and becomes a 500 that tells nothing. */
export function toProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error
  if (error instanceof KflError || error instanceof BpfError) {
    const { position, length, expected, suggestion } = error
    return new Problem(400, 'bad_filter', error.message, {
      position,
      length,
      expected: expected ?? [],
      suggestion: suggestion ?? null,
      ...(suggestion !== undefined && { hint: `Did you mean ${suggestion}?` }),
    })
  }
  if (error instanceof NameTaken) return new Problem(409, 'name_taken', error.message)
  if (error instanceof NoRoom) return new Problem(507, 'no_room', error.message)
  if (error instanceof InventoryError) return new Problem(400, 'invalid_inventory', error.message)
  log.error({ err: error }, 'an operation failed in a way nobody foresaw')
  return new Problem(500, 'internal', 'something went wrong in the hub; its log says what')
}

export function problemResponse(problem: Problem): Response {
  const headers = new Headers({
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    'tapdeck-version': version,
  })
  if (problem.status === 401) headers.set('www-authenticate', 'Bearer realm="tapdeck"')
  const { allow, retry_after, total_bytes } = problem.extensions
  if (problem.status === 416) headers.set('content-range', `bytes */${total_bytes}`)
  if (typeof retry_after === 'number') headers.set('retry-after', String(retry_after))
  if (problem.status === 405 && Array.isArray(allow)) headers.set('allow', allow.join(', '))
  return new Response(JSON.stringify(problem.body()), { status: problem.status, headers })
}
