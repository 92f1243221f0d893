import { Problem, type WorkerRequests, workerRequests } from '@tapdeck/api'

type Name = keyof WorkerRequests
type Output<Request extends Name> = WorkerRequests[Request]['output']

/** Statuses that a worker may give an answer: those of rights are only for the hub to give. */
const PASSED_ON = new Set([400, 404, 409, 410, 413, 429, 507])
const MAX_DETAIL = 300

/**
 * The answer of a worker, checked by the schema of the request and by what was asked. Throws 503 where it is not valid:
 * then the node is missing from the merged answer, like one that does not answer.
 */
export function readAnswer<Request extends Name>(
  node: string,
  request: Request,
  input: WorkerRequests[Request]['input'],
  result: unknown,
): Output<Request> {
  const parsed = workerRequests[request].output.safeParse(result)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw badAnswer(node, request, `${issue?.path.join('.') || 'the answer'}: ${issue?.message ?? 'invalid'}`)
  }
  const wrong = whatIsWrong(node, input, parsed.data)
  if (wrong !== undefined) throw badAnswer(node, request, wrong)
  return parsed.data
}

/** A failure that a worker reports, as a problem of ours. */
export function readFailure(
  node: string,
  failure: {
    readonly status: number
    readonly code: string
    readonly detail: string
    readonly extensions?: Readonly<Record<string, unknown>>
  },
): Problem {
  const { status, code, detail, extensions = {} } = failure
  if (status < 500 && !PASSED_ON.has(status)) return badAnswer(node, code, `status ${status}: ${detail}`)
  const { type: _type, title: _title, status: _status, detail: _detail, code: _code, ...rest } = extensions
  return new Problem(status, code, detail, rest)
}

/** Whether an id is one of a call of this node. Ids of other nodes' calls are theirs alone. */
export function isOwnId(node: string, id: string): boolean {
  return id.startsWith(node) && id[node.length] === '/'
}

interface Page {
  readonly calls: readonly { readonly id: string }[]
  readonly cursors: readonly string[]
  readonly next_cursor?: string
}

/** What contradicts the request, beyond the shape: more rows than wanted, a page that goes back to itself, foreign calls. */
function whatIsWrong(node: string, asked: object, answer: object): string | undefined {
  const { limit = Number.POSITIVE_INFINITY, cursor } = asked as { limit?: number; cursor?: string }
  for (const [name, rows] of Object.entries(answer))
    if (name !== 'cursors' && name !== 'hashes' && Array.isArray(rows) && rows.length > limit)
      return `${name}: ${rows.length} rows returned, at most ${limit} requested`
  const { call } = answer as { readonly call?: { readonly id: string } | null }
  if (call) return ofOthers(node, [call])
  if (!('cursors' in answer)) return undefined
  const { calls, cursors, next_cursor } = answer as Page
  if (cursors.length !== calls.length) return `cursors: ${cursors.length} cursors for ${calls.length} calls`
  if (next_cursor !== undefined && next_cursor === cursor) return 'next_cursor: points to the same page'
  return ofOthers(node, calls)
}

function ofOthers(node: string, calls: readonly { readonly id: string }[]): string | undefined {
  const other = calls.find(({ id }) => !isOwnId(node, id))
  return other && `the call "${other.id.slice(0, 100)}" belongs to another node`
}

export function badAnswer(node: string, request: string, why: string): Problem {
  return new Problem(
    503,
    'bad_answer',
    `Invalid response from node "${node}" (${request}: ${why.slice(0, MAX_DETAIL)})`,
    { hint: 'Update the worker to the version of the hub, or check the log of the worker.' },
  )
}
