import type { MessagePort } from 'node:worker_threads'

/** The type of a table of requests: input and output of each. */
export type RequestTable<Table> = { [Name in keyof Table]: { input: unknown; output: unknown } }

export type RequestHandlers<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { input: infer Input; output: infer Output }
    ? (input: Input) => Output | Promise<Output>
    : never
}

/** A request between threads. */
export interface ThreadRequest {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

export type ThreadAnswer =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly failure: ThreadFailure }

/** An error sent to another thread, which keeps the content but not the class. */
export interface ThreadFailure {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** Answers the requests of the `ThreadLink` at the other end of the port. */
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
