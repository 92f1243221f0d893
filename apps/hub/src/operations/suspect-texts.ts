import type { shapes } from '@tapdeck/api'
import type { Traffic } from '@tapdeck/suspects'
import type { z } from 'zod'
import { allOf } from '../query/group-filter.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { selectionFilter } from '../query/selection-filter.ts'
import type { EvidenceWindow } from './suspect-evidence.ts'

/** Groups of failed calls of which one is read, those with most calls first. */
const MAX_GROUPS = 8
const MAX_TEXT = 120
/** Names under which servers put what is wrong into a body. */
const NAMES = ['error', 'message', 'detail', 'title', 'reason', 'error_description', 'description', 'msg']
/** Whose `error` is the status of the response, so that the body says more. */
const WITH_BODY: ReadonlySet<string> = new Set(['http', 'http2', 'grpc'])

type Call = z.input<typeof shapes.call>

/** The same groups, the largest with what the server said in the newest call of each. */
export async function withTexts(
  window: EvidenceWindow,
  failures: readonly Traffic[],
): Promise<readonly Traffic[]> {
  const chosen = new Set(
    failures
      .filter(({ proto, error }) => WITH_BODY.has(proto) && error !== undefined && error !== 'no_response')
      .toSorted((a, b) => b.calls - a.calls)
      .slice(0, MAX_GROUPS),
  )
  const found: Traffic[] = []
  for (const one of failures) {
    const text = chosen.has(one) ? await textOf(window, one) : undefined
    found.push(text === undefined ? one : { ...one, text })
  }
  return found
}

async function textOf(
  { sources, kfl, start, end }: EvidenceWindow,
  { client, server, proto, error, path }: Traffic,
): Promise<string | undefined> {
  const selection = { client, server, proto, ...(error !== undefined && { error }), ...(path && { path }) }
  const query = {
    kfl: allOf(kfl, selectionFilter(selection)),
    limit: 1,
    order: 'newest',
    format: 'full',
    start,
    end,
  } as const
  const { calls } = await mergedCalls(sources, query)
  const [call] = calls as unknown as readonly Call[]
  const { body, body_encoding, headers } = (call?.response ?? {}) as {
    readonly body?: unknown
    readonly body_encoding?: unknown
    readonly headers?: Readonly<Record<string, unknown>>
  }
  if (proto === 'grpc') return cut(headers?.['grpc-message'])
  return body_encoding === undefined && typeof body === 'string' ? saidIn(body) : undefined
}

/** What a body says: a member of JSON with a usual name, or a text without markup. */
export function saidIn(body: string): string | undefined {
  try {
    return memberOf(JSON.parse(body))
  } catch {
    return body.trimStart().startsWith('<') || body.trimStart().startsWith('{') ? undefined : cut(body)
  }
}

function memberOf(value: unknown): string | undefined {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return undefined
  const members = value as Readonly<Record<string, unknown>>
  for (const name of NAMES) {
    const found = Object.hasOwn(members, name) ? memberOf(members[name]) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

function cut(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const line = text.trim().split(/[\r\n]/)[0] ?? ''
  return line === '' ? undefined : line.slice(0, MAX_TEXT)
}
