import type { CompactCall } from '@tapdeck/dissect'
import type { z } from 'zod'
import type { nodeReport, switchState } from './shapes.ts'
import type { SkippedSpan } from './skipped-calls.ts'

/** Where dashboards open their stream: a WebSocket at `/api/stream`, with `?kfl=` for its first filter and `?paused=1` to begin paused. */
export const streamPath = '/api/stream'

/** What a dashboard says. A session counts as activity while it is open and not paused. */
export type StreamRequest =
  | { readonly kind: 'filter'; readonly kfl: string }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }

/** What the hub says. `switch` comes at once and at every change; `nodes` every second. */
export type StreamMessage =
  | { readonly kind: 'switch'; readonly state: z.infer<typeof switchState> }
  | { readonly kind: 'nodes'; readonly nodes: readonly z.infer<typeof nodeReport>[] }
  /**
   * `skipped`: matching calls that are not sent, because they came faster than they are carried or read; `from` and `to`
   * are the time that they are of. The index has them.
   */
  | ({ readonly kind: 'calls'; readonly calls: readonly CompactCall[] } & SkippedSpan)
  /** The filter now in force, echoed so that a late answer to an older filter can be recognized. */
  | { readonly kind: 'filtered'; readonly kfl: string }
  | { readonly kind: 'problem'; readonly problem: Readonly<Record<string, unknown>> }
  /** Something of a list changed: fetch it again. */
  | {
      readonly kind: 'changed'
      readonly what: 'snapshots' | 'dissections' | 'recordings' | 'agents'
    }
