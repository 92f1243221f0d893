import type { Method, Needed } from '@tapdeck/api'
import type { Caller } from '../access/caller.ts'

/** Something beside the operations, such as `/healthz`. */
export interface Page {
  readonly method: Method
  readonly path: string
  /**
   * Who may read it: any client, or only callers that are resolved, hold the capabilities, and see everything. A page that
   * is open knows its client only by the request itself.
   */
  readonly guard: 'open' | { readonly needs: readonly Needed[] }
  answer(
    request: Request,
    asked: { readonly caller: Caller | undefined; readonly from: string },
  ): Response | Promise<Response>
}
