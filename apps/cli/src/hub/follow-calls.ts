import type { OperationOutput, SkippedSpan } from '@tapdeck/api'
import { visibleText } from '@tapdeck/api/visible-text'
import { tablePrinter } from '../output/table-printer.ts'
import type { Terminal } from '../output/terminal.ts'
import { callStream } from './call-stream.ts'
import type { HubClient } from './hub-client.ts'
import { notePaused } from './note-paused.ts'

type Call = OperationOutput<'list_api_calls'>['calls'][number]

export interface FollowOptions {
  readonly kfl: string
  /** How many calls from before are shown first. */
  readonly limit: number
  readonly start: string | undefined
  readonly asTable: boolean
  readonly utc: boolean
}

/** Prints the latest calls, oldest first, then each call that follows, until `signal` is aborted. */
export async function followCalls(
  hub: HubClient,
  { kfl, limit, start, asTable, utc }: FollowOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const print = asTable ? tablePrinter(terminal, utc) : linePrinter(terminal)
  // Calls that are both in the first page and in the stream, which is opened before.
  const known = new Set<string>()
  let isListed = false
  for await (const message of callStream(hub, kfl, signal)) {
    if (message.kind === 'problem')
      terminal.note(String(message.problem.detail ?? 'The stream has a problem'))
    if (message.kind === 'switch') {
      notePaused(terminal, message.state, 'no new calls are found.')
      if (!isListed) {
        isListed = true
        const page = await hub.call('list_api_calls', { kfl, limit, start, order: 'newest' })
        for (const { id } of page.calls) known.add(id)
        await print(page.calls.toReversed())
      }
    }
    if (message.kind !== 'calls') continue
    await print((message.calls as unknown as readonly Call[]).filter(({ id }) => !known.delete(id)))
    if (message.skipped > 0)
      terminal.note(
        `${message.skipped} calls${timeOf(message)} were not shown: they came faster than they were read`,
      )
  }
}

function timeOf({ from, to }: SkippedSpan): string {
  if (from === undefined || to === undefined) return ''
  return ` from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`
}

type Print = (calls: readonly Call[]) => Promise<void>

function linePrinter(terminal: Terminal): Print {
  return async (calls) => {
    if (calls.length > 0)
      await terminal.out(calls.map((call) => `${visibleText(JSON.stringify(call))}\n`).join(''))
  }
}
