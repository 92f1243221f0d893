import { type Method, type OperationName, operations, Problem } from '@tapdeck/api'
import { inputSchema, outputSchema } from '../http/json-schema.ts'
import { pathParameters, routes } from '../http/routes.ts'

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

/** Every operation of the door `/mcp` that JSON can carry; a capture file is not sent through a tool. */
export const tools: readonly Tool[] = routes
  .filter(({ door, operation }) => door === 'mcp' && operations[operation].bytes !== 'request')
  .map(({ operation, method }) => describe(operation, method))

export const toolNames: ReadonlySet<string> = new Set(tools.map(({ name }) => name))

const knownArguments: ReadonlyMap<string, readonly string[]> = new Map(
  tools.map(({ name, inputSchema: { properties } }) => [name, Object.keys(properties)]),
)

function describe(name: OperationName, method: Method): Tool {
  const { title, description, input, output, bytes } = operations[name]
  return {
    name,
    title,
    description:
      bytes === 'response' ? `${description} Answers with the address to fetch it from.` : description,
    inputSchema: inputSchema(input),
    ...(bytes === undefined && { outputSchema: open(outputSchema(output)) }),
    annotations: {
      readOnlyHint: method === 'GET',
      destructiveHint: method === 'DELETE',
      idempotentHint: method !== 'POST',
      openWorldHint: false,
    },
  }
}

/** Answers may gain fields within a version, so a schema never forbids them. */
function open(schema: Readonly<Record<string, unknown>>): NonNullable<Tool['outputSchema']> {
  const relaxed: unknown = JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === 'additionalProperties' && value === false ? undefined : value,
    ),
  )
  return { ...(relaxed as object), type: 'object' }
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
    return /^\.{1,2}$/.test(String(value)) ? [{ path, message: `"${value}" is no name` }] : []
  })
  // Some clients send something where a tool takes nothing.
  const unknown = Object.keys(input)
    .filter((path) => known.length > 0 && !known.includes(path))
    .map((path) => ({ path: path.slice(0, 80), message: 'there is no such argument' }))
  const errors = [...missing, ...unknown].slice(0, 20)
  if (errors.length === 0) return undefined
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ')
  const hint = unknown.length > 0 ? { hint: `${name} takes ${known.join(', ')}.` } : {}
  return new Problem(400, 'invalid_input', detail, { errors, ...hint })
}

/**
 * The request that a tool call means, at the door `/mcp`, with the caller's own headers: rights, checks and the audit
 * log are those of the door.
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
      ([key, value]) => known.includes(key) && value !== undefined && value !== null,
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
