import type { z } from 'zod'
import type { Capability } from './capability.ts'

export type Scope = 'kfl' | 'refused' | 'none'
export type Door = 'mcp' | 'api'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One thing that can be asked of the hub. It exists once; HTTP routes, OpenAPI, MCP tools and the client are made
 * from this table. `path` is relative to each door (`/mcp` and `/api`); `{name}` is a path parameter. Input is one flat
 * object: path parameters, query parameters and the JSON body's keys together.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly title: string
  /** What it does and when to use it, for people and assistants alike. */
  readonly description: string
  readonly method: Method
  readonly path: string
  readonly doors: readonly Door[]
  /** Routes outside the doors, at the root, that mean the same. They demand the capability, not `mcp:use`. */
  readonly aliases?: readonly { readonly method: Method; readonly path: string }[]
  /** What the caller must hold; absent: any resolved caller may. May depend on the input (live data or a database). */
  readonly capability?: Capability | ((input: z.output<Input>) => Capability)
  /**
   * What becomes of it for a caller whose role is narrowed to namespaces. `kfl`: it answers out of the traffic, names
   * or events of those namespaces only (take the sources from `sourcesOf`, and `scopeOf` for the rest). `refused`: it cannot be
   * narrowed, and answers 403. `none`: nothing in it is about traffic.
   */
  readonly scope: Scope
  readonly input: Input
  readonly output: Output
  /** 200 unless said. */
  readonly status?: number
  /** The request body is not JSON but a stream of bytes, or the answer is. */
  readonly bytes?: 'request' | 'response'
  /** It changes something: no client repeats it by itself, and it is written to the audit log. */
  readonly changes?: boolean
}

export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<Operation<Input, Output>, 'doors'> & { readonly doors?: readonly Door[] },
): Operation<Input, Output> {
  return { doors: ['mcp', 'api'], ...definition }
}
