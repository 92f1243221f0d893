import { operations } from '@tapdeck/api'
import { inputSchema, outputSchema } from '../input/json-schema.ts'
import { version } from '../version.ts'
import { pathParameters, type Route, routes } from './routes.ts'

type Json = Readonly<Record<string, unknown>>

const failure: Json = {
  description: 'A problem (RFC 9457)',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** OpenAPI 3.1 of all interfaces, generated from the table of operations, and of the other pages. */
export function openapi(): Json {
  const paths: Record<string, Record<string, Json>> = { ...beside }
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path]![route.method.toLowerCase()] = describe(route)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tapdeck',
      version,
      description:
        'Each operation is available under /api and under /mcp. The latter also needs the capability mcp:use.',
    },
    paths,
    components: {
      schemas: { Problem: problem },
      headers: { Warning: warning },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{}, { bearer: [] }],
  }
}

function describe(route: Route): Json {
  const { title, description, capability, input, output, status = 200, bytes } = operations[route.operation]
  const inPath = pathParameters(route.path)
  const { properties, required = [] } = inputSchema(input)
  const names = Object.keys(properties)
  const inBody = ['POST', 'PUT', 'PATCH'].includes(route.method) && bytes !== 'request'
  const bodyNames = inBody ? names.filter((name) => !inPath.includes(name)) : []
  const parameters = names
    .filter((name) => !bodyNames.includes(name))
    .map((name) => ({
      name,
      in: inPath.includes(name) ? 'path' : 'query',
      required: inPath.includes(name) || required.includes(name),
      schema: properties[name],
    }))
  const needs = [
    ...(route.interface === 'mcp' ? ['mcp:use'] : []),
    ...(typeof capability === 'function'
      ? ['dissection:live or snapshot:read']
      : capability === undefined
        ? []
        : typeof capability === 'string'
          ? [capability]
          : [capability.anyOf.join(' or ')]),
  ]
  return {
    operationId: `${route.interface}_${route.operation}${route.interface === 'alias' ? `_${route.method}` : ''}`,
    summary: title,
    description: needs.length > 0 ? `${description} Needs ${needs.join(' and ')}.` : description,
    tags: [route.interface],
    ...(parameters.length > 0 && { parameters }),
    ...(bodyNames.length > 0 && { requestBody: jsonBody(properties, required, bodyNames) }),
    ...(bytes === 'request' && {
      requestBody: { required: true, content: { 'application/octet-stream': {} } },
    }),
    responses: {
      [status]: {
        description: 'Done',
        ...(bytes !== 'response' && {
          headers: { 'Tapdeck-Warning': { $ref: '#/components/headers/Warning' } },
        }),
        content:
          bytes === 'response'
            ? { 'application/octet-stream': {} }
            : { 'application/json': { schema: outputSchema(output) } },
      },
      default: failure,
    },
  }
}

/** The protocol endpoint and the pages for probes: no operations, so they are not in the table. */
const beside: Readonly<Record<string, Record<string, Json>>> = {
  '/mcp': {
    get: plain(
      'mcp_surface',
      'Lists the operations for assistants. With Accept: text/event-stream: the event stream of an MCP session. Needs mcp:use.',
      ['application/json', 'text/event-stream'],
    ),
    post: {
      ...plain('mcp_protocol', 'The Model Context Protocol (streamable HTTP). Needs mcp:use.', [
        'application/json',
        'text/event-stream',
      ]),
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    },
    delete: plain('mcp_end', 'Ends an MCP session. Needs mcp:use.', []),
  },
  '/healthz': { get: plain('healthz', 'Liveness: the process runs.', ['application/json']) },
  '/readyz': {
    get: plain('readyz', 'Readiness: 503 until the hub can serve requests.', ['application/json']),
  },
  '/metrics': {
    get: plain('metrics', 'Metrics in Prometheus text format. Needs dissection:live or snapshot:read.', [
      'text/plain',
    ]),
  },
  '/openapi.json': { get: plain('openapi', 'This document.', ['application/json']) },
}

function plain(operationId: string, description: string, types: readonly string[]): Json {
  const content = Object.fromEntries(types.map((type) => [type, {}]))
  const done = { description: 'Done', ...(types.length > 0 && { content }) }
  return { operationId, description, responses: { 200: done, default: failure } }
}

function jsonBody(properties: Json, required: readonly string[], names: readonly string[]): Json {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
    required: required.filter((name) => names.includes(name)),
  }
  return { required: schema.required.length > 0, content: { 'application/json': { schema } } }
}

const warning: Json = {
  description: 'Unknown parameters that were ignored; the response body also lists them in `warnings`',
  schema: { type: 'string' },
}

const problem: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string' },
    hint: { type: 'string' },
    missing: { type: 'string', description: 'The capability that the role of the caller lacks' },
    position: { type: 'integer', description: 'Position of the error in the filter' },
    length: { type: 'integer' },
    expected: { type: 'array', items: { type: 'string' } },
    suggestion: { type: ['string', 'null'] },
  },
}
