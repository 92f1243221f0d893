import type { OperationOutput } from '@tapdeck/api'
import { choice, text, whole } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { sinceMs } from '../hub/window-options.ts'
import { showJson } from '../output/show.ts'
import { formatTable, type Screen } from '../output/table.ts'

type Diff = OperationOutput<'diff_api_calls'>

const groups = ['service', 'workload', 'path', 'status', 'proto', 'src', 'dst', 'node', 'ns'] as const

export const diff = command({
  name: 'diff',
  summary:
    'Compares two windows or two dissections: what is new, gone, slower, bigger, failing more or called more.',
  operations: ['diff_api_calls'],
  options: {
    since: text('DURATION', 'Compares the most recent time, such as 5m, with as much time before it.'),
    'a-db': text('SNAPSHOT/NAME', 'Before: a dissection. Default: live calls.'),
    'b-db': text('SNAPSHOT/NAME', 'After: a dissection. Default: live calls.'),
    'a-start': text('TIME', 'Before: from this time on.'),
    'a-end': text('TIME', 'Before: up to this time.'),
    'b-start': text('TIME', 'After: from this time on.'),
    'b-end': text('TIME', 'After: up to this time.'),
    kfl: text('EXPR', 'Only calls that match.'),
    by: choice(groups, 'What makes a group. Default: service.'),
    'min-calls': whole('N', 'Groups with fewer calls are not compared. Default: 20.', 1, 1_000_000),
    limit: whole('N', 'Maximum number of groups. Default: 20.', 1, 100),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const windows = windowsOf(options)
    const answer = await openHub(input).call('diff_api_calls', {
      a_db: options['a-db'],
      b_db: options['b-db'],
      ...windows,
      kfl: options.kfl,
      group_by: options.by,
      min_calls: options['min-calls'],
      limit: options.limit,
    })
    if (wantsTable(options, terminal)) await terminal.out(shown(answer, terminal))
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})

interface GivenWindows {
  readonly since: string | undefined
  readonly 'a-start': string | undefined
  readonly 'a-end': string | undefined
  readonly 'b-start': string | undefined
  readonly 'b-end': string | undefined
}

/** Throws `UsageError`. */
export function windowsOf(given: GivenWindows, now = Date.now()) {
  const { 'a-start': a_start, 'a-end': a_end, 'b-start': b_start, 'b-end': b_end } = given
  if (given.since === undefined) return { a_start, a_end, b_start, b_end }
  if ([a_start, a_end, b_start, b_end].some((time) => time !== undefined))
    throw new UsageError('--since: it is both windows; give no other times')
  const length = Math.floor(sinceMs(given.since))
  const at = (ms: number) => String(Math.floor(ms))
  return { a_start: at(now - 2 * length), a_end: at(now - length), b_start: at(now - length), b_end: at(now) }
}

function shown(answer: Diff, screen: Screen): string {
  const rows = answer.groups.flatMap(({ group, ns, changes }) =>
    changes.map((change) => ({ group, ns, ...change })),
  )
  const { a, b, counts } = answer
  const side = (name: string, { calls, errors, capture_errors, seconds }: Diff['a']) =>
    `${name}: ${calls} calls, ${errors - capture_errors} failed, in ${Math.round(seconds)} s`
  const table =
    rows.length === 0
      ? 'No group changed beyond chance.\n'
      : formatTable(
          [
            { title: answer.group_by.toUpperCase(), cell: (row) => row.group, shrinks: true },
            { title: 'NS', cell: (row) => row.ns, isRare: true },
            { title: 'CHANGE', cell: (row) => row.kind.replace('_', ' ') },
            { title: 'SIGNIFICANCE', cell: (row) => row.significance },
            { title: 'DETAIL', cell: (row) => row.detail, shrinks: true },
            { title: 'SEE', cell: (row) => row.evidence[0] ?? '', isOptional: true },
          ],
          rows,
          screen,
        )
  const rest = `Groups without a significant change: ${counts.unchanged}; with too few calls to compare: ${counts.too_few_calls}.`
  return [side('A', a), side('B', b), '', table, rest, ...(answer.notes ?? []), ''].join('\n')
}
