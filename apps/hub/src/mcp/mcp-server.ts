import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { type OperationName, operations } from '@tapdeck/api'
import { nearestNames } from '../nearest-names.ts'
import { version } from '../version.ts'
import { prompts } from './prompts.ts'
import type { Resource } from './resources.ts'
import { toolNames, toolRequest, tools, wrongArguments } from './tools.ts'

export type Dispatch = (request: Request) => Response | Promise<Response>

const instructions = [
  'Tapdeck records the network traffic of a cluster and turns it into API calls that can be searched.',
  'For the past: get_data_boundaries, create_snapshot, start_snapshot_dissection, get_snapshot_dissection_status, then list_api_calls with db=<snapshot>/<dissection>.',
  'For the last minutes, at once: list_api_calls with db=recording answers out of what is recorded, also while indexing is paused.',
  'For now: get_dissection_status says whether live indexing is on; it pauses when nobody looks, and `indexing.pauses_at` in answers says when.',
  'Filters are KFL: read the resource tapdeck://kfl first. An empty answer says why in `why_empty`; a live one that misses something says of which times in `incomplete`.',
].join('\n')

/** One conversation with an assistant. What it asks is sent to the REST door, with the headers it came with. */
export function createMcpServer(dispatch: Dispatch, resources: readonly Resource[]): Server {
  const server = new Server(
    { name: 'tapdeck', title: 'Tapdeck', version },
    { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} }, instructions },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map((tool) => ({ ...tool })) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo, signal }) => {
    if (!toolNames.has(params.name)) throw nothingCalled('tool', params.name, toolNames)
    const headers = headersFrom(requestInfo?.headers ?? {})
    return callTool(params.name as OperationName, params.arguments ?? {}, headers, signal, dispatch)
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({
    prompts: prompts.map(({ write, ...prompt }) => ({ ...prompt, arguments: [...prompt.arguments] })),
  }))
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name)
    if (!prompt)
      throw nothingCalled(
        'prompt',
        params.name,
        prompts.map(({ name }) => name),
      )
    const given = params.arguments ?? {}
    const missing = prompt.arguments.filter(({ name, required }) => required && !given[name])
    if (missing.length > 0)
      throw new McpError(ErrorCode.InvalidParams, `missing: ${missing.map(({ name }) => name).join(', ')}`)
    return {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.write(given) } }],
    }
  })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources.map(({ read, ...resource }) => resource),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const resource = resources.find((one) => one.uri === uri)
    if (!resource)
      throw nothingCalled(
        'resource',
        uri,
        resources.map((one) => one.uri),
      )
    return { contents: [{ uri, mimeType: resource.mimeType, text: resource.read() }] }
  })
  return server
}

/** An assistant that misspells is told what comes close. */
function nothingCalled(kind: string, name: string, known: Iterable<string>): McpError {
  const close = nearestNames(name, known).join(', ')
  const given = JSON.stringify(name.slice(0, 80))
  return new McpError(ErrorCode.InvalidParams, `there is no ${kind} ${given}; there is ${close}`)
}

async function callTool(
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  headers: Headers,
  signal: AbortSignal,
  dispatch: Dispatch,
): Promise<CallToolResult> {
  const wrong = wrongArguments(name, input)
  if (wrong) return { isError: true, content: [{ type: 'text', text: JSON.stringify(wrong.body()) }] }
  const request = toolRequest(name, input, headers, signal)
  if (operations[name].bytes === 'response') return addressOf(request, dispatch)
  const response = await dispatch(request)
  const text = await response.text()
  if (!response.ok) return { isError: true, content: [{ type: 'text', text }] }
  const structuredContent = JSON.parse(text) as Record<string, unknown>
  return { content: [{ type: 'text', text }], structuredContent }
}

/** Bytes are fetched, not told: the tool answers with where, after asking whether it could be had. */
async function addressOf(request: Request, dispatch: Dispatch): Promise<CallToolResult> {
  const response = await dispatch(new Request(request, { method: 'HEAD' }))
  if (!response.ok) {
    const refused = await dispatch(request)
    return { isError: true, content: [{ type: 'text', text: await refused.text() }] }
  }
  const { pathname, search } = new URL(request.url)
  return { content: [{ type: 'text', text: JSON.stringify({ path: pathname + search }) }] }
}

function headersFrom(given: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one)
  return headers
}
