import { setTimeout as sleep } from 'node:timers/promises'
import type { OperationName, OperationOutput, OperationRequest } from '@tapdeck/api'
import { UsageError } from '../arguments/usage-error.ts'
import { CommandFailed } from '../command-failed.ts'
import { BrokenAnswer, LostConnection } from './lost-connection.ts'

/** A read whose connection was closed is repeated after so many milliseconds each. */
const REPEAT_AFTER_MS = [100, 300, 900]

const operationTable = () => import('./operation-table.ts')

/** Calls operations of a running hub. Routes come from the table of operations alone. */
export class HubClient {
  readonly base: string
  readonly #token: string | undefined
  readonly #signal: AbortSignal | undefined

  /** Requests end when `signal` is aborted, with its reason as the error. */
  constructor(base: string, token?: string, signal?: AbortSignal) {
    this.base = base.replace(/\/+$/, '')
    this.#token = token
    this.#signal = signal
  }

  /** The same hub, for requests that end when `signal` is aborted. */
  until(signal: AbortSignal): HubClient {
    return new HubClient(this.base, this.#token, signal)
  }

  /** The header that names the caller, for streams. */
  get authorization(): Readonly<Record<string, string>> {
    return this.#token ? { authorization: `Bearer ${this.#token}` } : {}
  }

  async call<Name extends OperationName>(
    name: Name,
    input: OperationRequest<Name>,
  ): Promise<OperationOutput<Name>> {
    const text = await this.#text(name, input)
    try {
      return JSON.parse(text) as OperationOutput<Name>
    } catch {
      throw new CommandFailed(`the server at ${this.base} is not a hub`, {
        hint: 'Name another address with --url or TAPDECK_URL.',
      })
    }
  }

  /** The error of an answer that began and did not end. */
  brokeOff(error: unknown): never {
    this.#signal?.throwIfAborted()
    throw new BrokenAnswer(this.base, error)
  }

  /** A read is safe to repeat. Where nothing listens, a repeat does not help. */
  async #text<Name extends OperationName>(name: Name, input: OperationRequest<Name>): Promise<string> {
    for (let repeats = 0; ; repeats++) {
      try {
        const response = await this.send(name, input)
        return await response.text().catch((error: unknown) => this.brokeOff(error))
      } catch (error) {
        const isClosed = error instanceof BrokenAnswer || (error instanceof LostConnection && error.closed)
        const wait = REPEAT_AFTER_MS[repeats]
        const { operations } = await operationTable()
        if (!isClosed || operations[name].method !== 'GET' || wait === undefined) throw error
        await sleep(wait)
      }
    }
  }

  /** The answer as it comes, for operations whose request or response is a stream of bytes. */
  async send<Name extends OperationName>(
    name: Name,
    input: OperationRequest<Name>,
    bytes?: ReadableStream<Uint8Array>,
  ): Promise<Response> {
    const { operations } = await operationTable()
    const { method, path, interfaces } = operations[name]
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
      const value = String(rest.get(key))
      // It would be another address: that of the folder, or of the one above.
      if (/^\.{0,2}$/.test(value)) throw new UsageError(`"${value}" is no name`)
      rest.delete(key)
      return encodeURIComponent(value)
    })
    const inBody = (method === 'POST' || method === 'PUT' || method === 'PATCH') && bytes === undefined
    const query = inBody
      ? ''
      : new URLSearchParams([...rest].map(([key, value]) => [key, String(value)])).toString()
    const prefix = (interfaces as readonly string[]).includes('api') ? '/api' : '/mcp'
    return this.#fetch(`${this.base}${prefix}${filled}${query && `?${query}`}`, {
      method,
      headers: {
        accept: 'application/json',
        ...(inBody && { 'content-type': 'application/json' }),
        ...(bytes && { 'content-type': 'application/octet-stream' }),
        ...this.authorization,
      },
      ...(inBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
      ...(bytes && { body: bytes, duplex: 'half' as const }),
    })
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    let response: Response
    try {
      response = await fetch(url, { ...init, ...(this.#signal && { signal: this.#signal }) })
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw new LostConnection(this.base, error)
    }
    if (response.ok) return response
    throw await failureOf(response)
  }
}

async function failureOf(response: Response): Promise<CommandFailed> {
  const text = await response.text()
  let problem: Readonly<Record<string, unknown>> | undefined
  try {
    problem = JSON.parse(text) as Readonly<Record<string, unknown>>
  } catch {
    problem = undefined
  }
  const detail = typeof problem?.detail === 'string' ? problem.detail : text.slice(0, 500)
  const given = typeof problem?.hint === 'string' ? problem.hint : undefined
  const hint =
    response.status === 401
      ? 'Give a token with --token-file, TAPDECK_TOKEN_FILE or TAPDECK_TOKEN; `tapdeck token create` makes one.'
      : given
  return new CommandFailed(`${detail} (${response.status})`, {
    ...(problem && { problem }),
    ...(hint && { hint }),
  })
}
