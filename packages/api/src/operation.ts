import type { z } from 'zod'
import type { Capability, Needed } from './capability.ts'

export type Scope = 'kfl' | 'refused' | 'none'
/** Where the HTTP routes of an operation are: under `/mcp` or `/api`. Which operations are MCP tools is decided by the hub. */
export type InterfaceName = 'mcp' | 'api'
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One thing that can be asked of the hub. It exists once; HTTP routes, OpenAPI, MCP tools and the client are made
 * from this table. `path` is relative to each interface (`/mcp` and `/api`); `{name}` is a path parameter. Input is one flat
 * object: path parameters, query parameters and the JSON body's keys together.
 */
export interface Operation<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly title: string
  /** What it does and when to use it, for people and assistants alike. */
  readonly description: string
  readonly method: Method
  readonly path: string
  readonly interfaces: readonly InterfaceName[]
  /** Routes outside the interfaces, at the root, that mean the same. They demand the capability, not `mcp:use`. */
  readonly aliases?: readonly { readonly method: Method; readonly path: string }[]
  /** What the caller must hold. May depend on the input (live data or a database). */
  readonly capability?: Needed | ((input: z.output<Input>) => Capability)
  /** Where no capability is needed: why any caller that is identified may. */
  readonly anyCaller?: string
  /** What the caller must hold besides, whatever the input is. */
  readonly alsoNeeds?: readonly Capability[]
  /**
   * What becomes of it for a caller whose role is narrowed to namespaces. `kfl`: it answers out of the traffic, names
   * or events of those namespaces only (take the sources from `sourcesOf`, and `scopeOf` for the rest). `refused`: it cannot be
   * narrowed, and answers 403. `none`: nothing in it is about traffic.
   */
  readonly scope: Scope
  readonly input: Input
  readonly output: Output
  /** Default: 200. */
  readonly status?: number
  /** The request body is not JSON but a stream of bytes, or the answer is. */
  readonly bytes?: 'request' | 'response'
  /** It changes something: no client repeats it by itself, and it is written to the audit log. */
  readonly changes?: boolean
  /** It waits for jobs, for minutes: it takes none of the places that a caller has for queries. */
  readonly waits?: boolean
  /** Of what it changes: it only adds something new, and deletes, stops or replaces nothing. */
  readonly additive?: boolean
}

export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: Omit<Operation<Input, Output>, 'interfaces'> & {
    readonly interfaces?: readonly InterfaceName[]
  },
): Operation<Input, Output> {
  return { interfaces: ['mcp', 'api'], ...definition }
}
