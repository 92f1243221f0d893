import type { CallPage, CallPageQuery } from '../client/hub.ts'

/**
 * Which calls: those of a dissection `<snapshot>/<name>`, of the recorded packets (`recording`), or of the live index, that
 * match a filter. A window narrows them; without one, live calls come as they happen.
 */
export interface CallSource {
  readonly db: string | undefined
  readonly kfl: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

export type FetchPage = (query: CallPageQuery, signal: AbortSignal) => Promise<CallPage>
