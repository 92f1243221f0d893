import { type Method, type OperationName, operations, Problem } from '@tapdeck/api'
import { pathParameters, routes } from '../http/routes.ts'
import { inputSchema, type ObjectSchema, outputSchema } from '../input/json-schema.ts'
import { DEFAULT_MAX_CHARS, MAX_CHARS, MAX_CHARS_LIMIT, MIN_MAX_CHARS } from './fit-answer.ts'

/** An operation as an assistant sees it. */
export interface Tool {
  readonly name: OperationName
  readonly title: string
  readonly description: string
  readonly inputSchema: ReturnType<typeof inputSchema>
  /** Absent where the answer is bytes. */
  readonly outputSchema?: { readonly type: 'object' } & Readonly<Record<string, unknown>>
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** The way of an investigation, which is the order of the list: get an overview, narrow, explain. The others follow. */
const FIRST: readonly OperationName[] = [
  'find_suspects',
  'list_databases',
  'get_data_boundaries',
  'get_topology',
  'get_api_stats',
  'diff_api_calls',
  'list_api_calls',
  'explain_call',
  'get_api_call',
  'list_events',
  'list_l4_flows',
]

/** Every operation of the interface `/mcp` that JSON can carry; a capture file is not sent through a tool. */
export const tools: readonly Tool[] = routes
  .filter((route) => route.interface === 'mcp' && operations[route.operation].bytes !== 'request')
  .toSorted((a, b) => placeOf(a.operation) - placeOf(b.operation))
  .map(({ operation, method }) => describe(operation, method))

export const toolNames: ReadonlySet<string> = new Set(tools.map(({ name }) => name))

const knownArguments: ReadonlyMap<string, readonly string[]> = new Map(
  tools.map(({ name, inputSchema: { properties } }) => [name, Object.keys(properties)]),
)

function placeOf(name: OperationName): number {
  const place = FIRST.indexOf(name)
  return place < 0 ? FIRST.length : place
}

function describe(name: OperationName, method: Method): Tool {
  const { title, description, input, output, bytes, changes = false, additive = false } = operations[name]
  return {
    name,
    title,
    description: bytes === 'response' ? `${description} Returns the URL to download it from.` : description,
    inputSchema: briefSchema(bytes === undefined ? withMaxChars(inputSchema(input)) : inputSchema(input)),
    // What a change answers is read once; what a question answers is worth knowing before.
    ...(bytes === undefined && {
      outputSchema: changes ? { type: 'object' } : outline(outputSchema(output)),
    }),
    annotations: {
      readOnlyHint: !changes,
      destructiveHint: changes && !additive,
      idempotentHint: method !== 'POST',
      openWorldHint: false,
    },
  }
}

/** Each answer can be bounded. The server's instructions describe the argument once for all tools. */
function withMaxChars(schema: ObjectSchema): ObjectSchema {
  return { ...schema, properties: { ...schema.properties, [MAX_CHARS]: { type: 'integer' } } }
}

/** Without lengths and patterns: the hub checks them, and its messages say what is accepted. */
function briefSchema(schema: ObjectSchema): ObjectSchema {
  const brief = Object.entries(schema.properties).map(([name, { pattern, maxLength, ...rest }]) => [
    name,
    rest,
  ])
  return { ...schema, properties: Object.fromEntries(brief) }
}

/**
 * The members of an answer and their types. What they contain is in the API reference: whole schemas would be two thirds
 * of the list of tools, which an assistant reads before its first question.
 */
function outline(schema: Readonly<Record<string, unknown>>): NonNullable<Tool['outputSchema']> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const types = Object.entries(properties).map(([name, { type }]) => [
    name,
    type === undefined ? {} : { type },
  ])
  return { type: 'object', properties: Object.fromEntries(types) }
}

/**
 * What is wrong with arguments before they are a request: an address without a name, or with dots for one, would be
 * another address; and a filter under a name that is not known must not be taken for one that was applied.
 */
export function wrongArguments(
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
): Problem | undefined {
  const known = knownArguments.get(name) ?? []
  const missing = pathParameters(operations[name].path).flatMap((path) => {
    const value = input[path] ?? ''
    if (value === '') return [{ path, message: 'Invalid input: expected string, received nothing' }]
    return /^\.{1,2}$/.test(String(value)) ? [{ path, message: `"${value}" is not a valid name` }] : []
  })
  // Some clients send something where a tool takes nothing.
  const unknown = Object.keys(input)
    .filter((path) => known.some((name) => name !== MAX_CHARS) && !known.includes(path))
    .map((path) => ({ path: path.slice(0, 80), message: 'unknown argument' }))
  const bound = input[MAX_CHARS] ?? DEFAULT_MAX_CHARS
  const isBound =
    Number.isInteger(Number(bound)) && Number(bound) >= MIN_MAX_CHARS && Number(bound) <= MAX_CHARS_LIMIT
  const bounds = isBound
    ? []
    : [{ path: MAX_CHARS, message: `expected a whole number from ${MIN_MAX_CHARS} to ${MAX_CHARS_LIMIT}` }]
  const errors = [...missing, ...unknown, ...bounds].slice(0, 20)
  if (errors.length === 0) return undefined
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ')
  const hint = unknown.length > 0 ? { hint: `Arguments of ${name}: ${known.join(', ')}.` } : {}
  return new Problem(400, 'invalid_input', detail, { errors, ...hint })
}

/**
 * The request that a tool call means, at the interface `/mcp`, with the caller's own headers: rights, checks and the audit
 * log are those of the interface.
 */
export function toolRequest(
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  headers: Headers,
  signal: AbortSignal,
): Request {
  const { method, path } = operations[name]
  const known = knownArguments.get(name) ?? []
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
