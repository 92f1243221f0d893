import type { OperationOutput } from '@tapdeck/api'
import { choice, text, whole } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

type Diff = OperationOutput<'diff_api_calls'>

const groups = ['service', 'workload', 'path', 'status', 'proto', 'src', 'dst', 'node', 'ns'] as const

export const diff = command({
  name: 'diff',
  summary: 'Compares two windows or two dissections: what is new, gone, slower, failing more.',
  options: {
    'a-db': text('SNAPSHOT/NAME', 'Before: a dissection; live calls unless said.'),
    'b-db': text('SNAPSHOT/NAME', 'After: a dissection; live calls unless said.'),
    'a-start': text('TIME', 'Before: from this time on.'),
    'a-end': text('TIME', 'Before: up to this time.'),
    'b-start': text('TIME', 'After: from this time on.'),
    'b-end': text('TIME', 'After: up to this time.'),
    kfl: text('EXPR', 'Only calls that match.'),
    by: choice(groups, 'What makes a group; service unless said.'),
    'min-calls': whole('N', 'Groups with fewer calls are not judged; 20 unless said.', 1, 1_000_000),
    limit: whole('N', 'At most so many groups; 20 unless said.', 1, 100),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const answer = await openHub(input).call('diff_api_calls', {
      a_db: options['a-db'],
      b_db: options['b-db'],
      a_start: options['a-start'],
      a_end: options['a-end'],
      b_start: options['b-start'],
      b_end: options['b-end'],
      kfl: options.kfl,
      group_by: options.by,
      min_calls: options['min-calls'],
      limit: options.limit,
    })
    if (wantsTable(options, terminal)) await terminal.out(shown(answer, terminal.width))
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})

function shown(answer: Diff, width: number): string {
  const rows = answer.groups.flatMap(({ group, ns, changes }) =>
    changes.map((change) => ({ group, ns, ...change })),
  )
  const { a, b, counts } = answer
  const side = (name: string, { calls, errors, capture_errors, seconds }: Diff['a']) =>
    `${name}: ${calls} calls, ${errors - capture_errors} failed, in ${Math.round(seconds)} s`
  const table =
    rows.length === 0
      ? 'Nothing changed that is certain enough to be told.\n'
      : formatTable(
          [
            { title: answer.group_by.toUpperCase(), cell: (row) => row.group, shrinks: true },
            { title: 'NS', cell: (row) => row.ns, isRare: true },
            { title: 'CHANGE', cell: (row) => row.kind.replace('_', ' ') },
            { title: 'SURE', cell: (row) => row.significance },
            { title: 'DETAIL', cell: (row) => row.detail, shrinks: true },
            { title: 'SEE', cell: (row) => row.evidence[0] ?? '' },
          ],
          rows,
          width,
        )
  const rest = `Groups without a certain change: ${counts.unchanged}, of which with too few calls to judge: ${counts.too_few_calls}.`
  return [side('A', a), side('B', b), '', table, rest, ...(answer.notes ?? []), ''].join('\n')
}
