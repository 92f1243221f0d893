import { z } from 'zod'

/** Why nothing was recorded or indexed for a time, and what that means to a reader. */
export const gapReasons = {
  not_started: 'it had not been started yet',
  killed: 'the worker was killed or crashed',
  stopped: 'the worker was stopped',
  disk_full: 'the disk was full',
  disk_failed: 'the disk did not take packets',
  index_unwritable: 'the live index could not be written; the recording may have it (db=recording)',
  recorder_off: 'recording is turned off (tap.capture.raw.enabled)',
  no_permission: 'the worker may not capture packets',
  capture_lost: 'nothing was captured',
  overwritten: 'the recording is full: newer packets took the place of these',
  index_full: 'the live index is full: these calls were deleted; the recording may have them (db=recording)',
  memory_limit:
    'the worker paused indexing to stay within its memory limit; the recording has it (db=recording)',
  cpu_limit: 'the worker paused indexing to stay within its CPU limit; the recording has it (db=recording)',
  switch_off: 'indexing was turned off; the recording may have it (db=recording)',
  fell_behind: 'indexing fell behind; the recording may have it (db=recording)',
  worker_away: 'the node is not connected: what it has of this time is not known until it is back',
  no_worker: 'no worker has connected',
  not_taken: 'the node did not give these packets before the recording ended',
  index_damaged: 'the index of that time was damaged and set aside; the recording may have it (db=recording)',
  unknown: 'the worker does not know whether it ran',
} as const

export type GapReason = keyof typeof gapReasons

/** A sentence for a code, also for one of a newer worker. */
export function gapText(reason: string, detail?: string): string {
  const text = Object.hasOwn(gapReasons, reason) ? gapReasons[reason as GapReason] : reason
  return detail === undefined ? text : `${text}: ${detail}`
}

export const gapKind = z
  .enum(['not_recorded', 'not_indexed'])
  .describe(
    'not_recorded: nothing has these packets; not_indexed: the recording may have them, ask with db=recording',
  )

export const gap = z.object({
  node: z.string(),
  from_ts: z.number(),
  to_ts: z.number(),
  reason: z.string().describe(`One of ${Object.keys(gapReasons).join(', ')}`),
  detail: z.string().describe('The same as a sentence'),
})
