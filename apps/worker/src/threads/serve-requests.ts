import type { MessagePort } from 'node:worker_threads'

/** The shape of a table of requests: what each is given and what it answers. */
export type RequestTable<Table> = { [Name in keyof Table]: { input: unknown; output: unknown } }

export type RequestHandlers<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { input: infer Input; output: infer Output }
    ? (input: Input) => Output | Promise<Output>
    : never
}

/** How a request travels between threads. */
export interface ThreadRequest {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

export type ThreadAnswer =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly failure: ThreadFailure }

/** An error on its way to another thread: its class is lost there, what it says is not. */
export interface ThreadFailure {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** Answers the requests that a `ThreadLink` on the other side of the port asks. */
export function serveRequests<Table extends RequestTable<Table>>(
  port: MessagePort,
  handlers: RequestHandlers<Table>,
  describe: (error: unknown) => ThreadFailure = internal,
): void {
  const table = handlers as unknown as Readonly<Record<string, (input: unknown) => unknown>>
  port.on('message', async ({ id, name, input }: ThreadRequest) => {
    let answer: ThreadAnswer
    try {
      answer = { id, output: await table[name]!(input) }
    } catch (error) {
      answer = { id, failure: describe(error) }
    }
    port.postMessage(answer)
  })
}

export function internal(error: unknown): ThreadFailure {
  return { status: 500, code: 'internal', detail: error instanceof Error ? error.message : String(error) }
}
