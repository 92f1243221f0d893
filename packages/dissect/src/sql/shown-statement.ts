import type { Summary } from '../contract/call.ts'
import type { Exchange } from '../contract/dissector.ts'

/** The statement of a call, which is also its path. */
export function shownStatement({
  request,
  summary,
}: Exchange & { readonly summary: Summary }): string | undefined {
  const head = request?.head
  if (head === undefined) return undefined
  return head.length === 0 ? '' : summary.path
}
