import { readHubClock } from './hub-clock.ts'
import { HubProblem } from './hub-problem.ts'

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal | undefined
}

/** Sends a request to the hub that served this page. Throws `HubProblem`, or the signal's reason after an abort. */
export async function request<Output>(path: string, options: RequestOptions = {}): Promise<Output> {
  const init: RequestInit = { method: options.method ?? 'GET', headers: { accept: 'application/json' } }
  if (options.signal) init.signal = options.signal
  if (options.body) {
    init.headers = { accept: 'application/json', 'content-type': 'application/json' }
    init.body = JSON.stringify(options.body)
  }
  let response: Response
  try {
    response = await fetch(`${path}${queryText(options.query ?? {})}`, init)
  } catch (reason) {
    if (options.signal?.aborted) throw reason
    throw HubProblem.unreachable()
  }
  readHubClock(response.headers.get('date'), Date.now())
  const body: unknown = await response.json().catch(() => undefined)
  if (response.ok) return body as Output
  throw new HubProblem(response.status, isRecord(body) ? body : {})
}

/** Asks for the beginning of a download, so that a refusal is a problem and not a file. */
export async function requestHead(address: string): Promise<void> {
  const stop = new AbortController()
  let response: Response
  try {
    response = await fetch(address, { signal: stop.signal })
  } catch {
    throw HubProblem.unreachable()
  }
  if (response.ok) return stop.abort()
  const body: unknown = await response.json().catch(() => undefined)
  throw new HubProblem(response.status, isRecord(body) ? body : {})
}

/** `?a=1&b=2` of the values that are defined and not empty; otherwise an empty text. */
export function queryText(query: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
