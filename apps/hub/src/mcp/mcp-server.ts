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
import { DEFAULT_MAX_CHARS, fitAnswer, MAX_CHARS, MAX_CHARS_LIMIT } from './fit-answer.ts'
import { prompts } from './prompts.ts'
import type { Resource } from './resources.ts'
import { toolNames, toolRequest, tools, wrongArguments } from './tools.ts'

/** Sends a request to the REST interface, as if it came from this address. */
export type Dispatch = (request: Request, from: string) => Response | Promise<Response>

type Send = (request: Request) => Response | Promise<Response>

const instructions = [
  'Tapdeck records the network traffic of a cluster and turns it into API calls that can be searched.',
  'When something is slow or fails, begin with find_suspects: it compares a window or a dissection with the time before and returns probable causes with evidence. list_databases lists the dissections that exist (`db`).',
  'For the past: get_data_boundaries, create_snapshot, start_snapshot_dissection, get_snapshot_dissection_status, then list_api_calls with db=<snapshot>/<dissection>.',
  'For the last minutes, without a snapshot: list_api_calls with db=recording reads the recording itself, also while indexing is paused.',
  'For now: get_dissection_status says whether live indexing is on; it pauses when no client uses it, at the time in `indexing.pauses_at`.',
  'Filters are KFL: read the resource tapdeck://kfl first. An empty answer has its reason in `why_empty`; a live answer lists the time ranges with lost packets in `incomplete`.',
  `An answer has at most ${MAX_CHARS} characters (default ${DEFAULT_MAX_CHARS}, at most ${MAX_CHARS_LIMIT}); \`left_out\` lists what is missing and how to get it.`,
].join('\n')

/** One conversation with an assistant. Its requests are sent to the REST interface with their headers. */
export function createMcpServer(dispatch: Dispatch, resources: readonly Resource[]): Server {
  const server = new Server(
    { name: 'tapdeck', title: 'Tapdeck', version },
    { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} }, instructions },
  )
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map((tool) => ({ ...tool })) }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo, authInfo, signal }) => {
    if (!toolNames.has(params.name)) throw nothingCalled('tool', params.name, toolNames)
    const headers = headersFrom(requestInfo?.headers ?? {})
    const from = String(authInfo?.extra?.from ?? '')
    const send = (request: Request) => dispatch(request, from)
    return callTool(params.name as OperationName, params.arguments ?? {}, headers, signal, send)
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

/** A misspelled name gets the nearest names. */
function nothingCalled(kind: string, name: string, known: Iterable<string>): McpError {
  const close = nearestNames(name, known).join(', ')
  const given = JSON.stringify(name.slice(0, 80))
  return new McpError(ErrorCode.InvalidParams, `unknown ${kind} ${given}; similar: ${close}`)
}

async function callTool(
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  headers: Headers,
  signal: AbortSignal,
  dispatch: Send,
): Promise<CallToolResult> {
  const wrong = wrongArguments(name, input)
  if (wrong) return { isError: true, content: [{ type: 'text', text: JSON.stringify(wrong.body()) }] }
  const request = toolRequest(name, input, headers, signal)
  if (operations[name].bytes === 'response') return addressOf(request, dispatch)
  const response = await dispatch(request)
  const text = await response.text()
  if (!response.ok) return { isError: true, content: [{ type: 'text', text }] }
  const structuredContent = fitAnswer(JSON.parse(text), Number(input[MAX_CHARS] ?? DEFAULT_MAX_CHARS))
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** Bytes are downloaded: the tool returns the address, after checking that the download works. */
async function addressOf(request: Request, dispatch: Send): Promise<CallToolResult> {
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
