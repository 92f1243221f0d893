import type { Context } from 'hono'
import type { ProgressListener } from '../operations/progress.ts'

/** What the MCP endpoint passes along with a request whose client asked for progress. */
export function progressOf(context: Context): { readonly onProgress?: ProgressListener } {
  const onProgress: unknown = (context.env as { readonly onProgress?: unknown } | undefined)?.onProgress
  return typeof onProgress === 'function' ? { onProgress: onProgress as ProgressListener } : {}
}
