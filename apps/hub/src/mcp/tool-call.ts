import { type OperationName, operations, Problem } from '@tapdeck/api'
import { pathParameters } from '../http/routes.ts'
import { MAX_CHARS, MAX_CHARS_LIMIT, MIN_MAX_CHARS } from './fit-answer.ts'
import { formerNames, toolGroups } from './tool-list.ts'
import { argumentsOf } from './tools.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** The operation that a tool call means, and its input. */
export interface ToolCall {
  readonly operation: OperationName
  readonly input: Arguments
}

/** `name` is one of `toolNames`. Throws 400 where a tool with actions gets none that it has. */
export function toolCall(name: string, given: Arguments): ToolCall {
  const group = toolGroups.find((one) => one.name === name)
  if (group === undefined) return { operation: formerNames[name] ?? (name as OperationName), input: given }
  const { action, ...input } = given
  const operation =
    typeof action === 'string' && Object.hasOwn(group.actions, action) ? group.actions[action] : undefined
  if (operation !== undefined) return { operation, input }
  const accepted = Object.keys(group.actions).join(', ')
  const detail =
    action === undefined ? 'action: missing' : `action: unknown ${JSON.stringify(action).slice(0, 80)}`
  throw new Problem(400, 'invalid_input', detail, { hint: `Actions of ${name}: ${accepted}.` })
}

/**
 * What is wrong with arguments before they are a request: an address without a name, or with dots for one, would be
 * another address; and a filter under a name that is not known must not be taken for one that was applied.
 */
export function wrongArguments({ operation, input }: ToolCall): Problem | undefined {
  const known = argumentsOf.get(operation) ?? []
  const missing = pathParameters(operations[operation].path).flatMap((path) => {
    const value = input[path] ?? ''
    if (value === '') return [{ path, message: 'Invalid input: expected string, received nothing' }]
    return /^\.{1,2}$/.test(String(value)) ? [{ path, message: `"${value}" is not a valid name` }] : []
  })
  // Some clients send something where a tool takes nothing.
  const unknown = Object.keys(input)
    .filter((path) => known.some((name) => name !== MAX_CHARS) && !known.includes(path))
    .map((path) => ({ path: path.slice(0, 80), message: 'unknown argument' }))
  const bound = input[MAX_CHARS] ?? MIN_MAX_CHARS
  const isBound =
    Number.isInteger(Number(bound)) && Number(bound) >= MIN_MAX_CHARS && Number(bound) <= MAX_CHARS_LIMIT
  const bounds = isBound
    ? []
    : [{ path: MAX_CHARS, message: `expected a whole number from ${MIN_MAX_CHARS} to ${MAX_CHARS_LIMIT}` }]
  const errors = [...missing, ...unknown, ...bounds].slice(0, 20)
  if (errors.length === 0) return undefined
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ')
  const hint = unknown.length > 0 ? { hint: `Arguments of ${operation}: ${known.join(', ')}.` } : {}
  return new Problem(400, 'invalid_input', detail, { errors, ...hint })
}

/**
 * The request that a tool call means, at the interface `/mcp`, with the caller's own headers: rights, checks and the audit
 * log are those of the interface.
 */
export function toolRequest({ operation, input }: ToolCall, headers: Headers, signal: AbortSignal): Request {
  const { method, path } = operations[operation]
  const known = argumentsOf.get(operation) ?? []
  const rest = new Map(
    Object.entries(input).filter(
      ([key, value]) => known.includes(key) && key !== MAX_CHARS && value !== undefined && value !== null,
    ),
  )
  let filled = `/mcp${path}`
  for (const parameter of pathParameters(path)) {
    filled = filled.replace(`{${parameter}}`, encodeURIComponent(String(rest.get(parameter) ?? '')))
    rest.delete(parameter)
  }
  const sent = new Headers(headers)
  for (const own of ['content-length', 'content-type', 'accept', 'range', 'origin']) sent.delete(own)
  const url = new URL(filled, 'http://hub')
  if (method === 'POST' || method === 'PUT' || method === 'PATCH') {
    sent.set('content-type', 'application/json')
    return new Request(url, { method, headers: sent, body: JSON.stringify(Object.fromEntries(rest)), signal })
  }
  for (const [key, value] of rest)
    url.searchParams.set(key, typeof value === 'object' ? JSON.stringify(value) : String(value))
  return new Request(url, { method, headers: sent, signal })
}
