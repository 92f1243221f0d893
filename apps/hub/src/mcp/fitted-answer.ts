import { operations } from '@tapdeck/api'
import { withTimes } from './answer-times.ts'
import { FENCE_CHARS } from './fenced-text.ts'
import { fitAnswer, MAX_CHARS } from './fit-answer.ts'
import type { ToolCall } from './tool-call.ts'
import { argumentsOf } from './tools.ts'

type Answer = ReturnType<typeof fitAnswer>
type Ask = (call: ToolCall) => Promise<Answer>

/** No row of a list is shorter: more rows would be read only to be dropped. */
const SHORTEST_ROW = 40
const MAX_LIMIT = 1000

/**
 * The answer to a tool call within its number of characters. Where rows of a page do not fit, it is asked for again with
 * the number that does, so that the cursor continues behind the last row that is shown.
 */
export async function fittedAnswer(call: ToolCall, ask: Ask, most: number): Promise<Answer> {
  const { operation, input } = call
  const maxChars = Number(input[MAX_CHARS] ?? most) - FENCE_CHARS
  const fields = typeof input.fields === 'string' ? input.fields.split(',').map((one) => one.trim()) : []
  const fit = (answer: Answer) => fitAnswer(withTimes(answer) as Answer, maxChars, fields)
  const isPaged = operations[operation].method === 'GET' && argumentsOf.get(operation)?.includes('cursor')
  const answer = await ask(isPaged ? boundedCall(call, Math.floor(maxChars / SHORTEST_ROW)) : call)
  const fitted = fit(answer)
  const kept = isPaged ? keptRows(answer, fitted) : undefined
  return kept === undefined ? fitted : fit(await ask(withLimit(call, kept)))
}

function boundedCall(call: ToolCall, most: number): ToolCall {
  const given = Number(call.input.limit)
  // A limit that no operation accepts is passed on, and refused there.
  return given > most && given <= MAX_LIMIT ? withLimit(call, most) : call
}

function withLimit({ operation, input }: ToolCall, limit: number): ToolCall {
  return { operation, input: { ...input, limit } }
}

/** How many rows are left of a list that lost some; undefined where none did. */
function keptRows(answer: Answer, fitted: Answer): number | undefined {
  for (const [key, rows] of Object.entries(answer)) {
    const kept: unknown = fitted[key]
    if (Array.isArray(rows) && Array.isArray(kept) && kept.length < rows.length && kept.length > 0)
      return kept.length
  }
  return undefined
}
