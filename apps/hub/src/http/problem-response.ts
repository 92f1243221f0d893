import { Problem } from '@tapdeck/api'
import { BpfError } from '@tapdeck/bpf'
import { InventoryError } from '@tapdeck/inventory'
import { FilterTooLarge, KflError } from '@tapdeck/kfl'
import { StorageProblem } from '@tapdeck/objects'
import { isDiskFull, NameTaken, OutOfSpace } from '@tapdeck/recording'
import type { Log } from '../log.ts'
import { version } from '../version.ts'

/** What a thrown error means to a caller. An unexpected error is logged and becomes a 500 without details. */
export function toProblem(error: unknown, log: Log): Problem {
  if (error instanceof Problem) return error
  if (error instanceof FilterTooLarge) {
    const { message, position, length, limit, hint } = error
    return new Problem(400, 'filter_too_large', message, { position, length, limit, hint })
  }
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
  if (error instanceof StorageProblem) return new Problem(503, 'object_storage', sentence(error.message))
  if (error instanceof OutOfSpace) return new Problem(507, 'no_room', error.message)
  if (isDiskFull(error)) {
    log.error({ err: error }, 'the disk with the data folder is full')
    return new Problem(507, 'no_room', 'The disk of the hub is full: nothing was stored', {
      hint: 'Delete snapshots or recordings, or give the data folder more space.',
    })
  }
  if (error instanceof InventoryError) return new Problem(400, 'invalid_inventory', error.message)
  log.error({ err: error }, 'unexpected error in an operation')
  return new Problem(500, 'internal', 'Internal error; see the log of the hub')
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

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
