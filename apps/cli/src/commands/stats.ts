import { formatBytes } from '@tapdeck/units'
import { flag, text, whole } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { notePaused } from '../hub/note-paused.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'
import { noteIncomplete } from '../output/note-incomplete.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'
import { formatMs } from '../output/units.ts'

export const stats = command({
  name: 'stats',
  summary: 'Shows rates, errors, latencies and handshake times by group, live or of one dissection.',
  operations: ['get_api_stats'],
  options: {
    db: text('SNAPSHOT/NAME', 'A dissection. Default: live calls.'),
    kfl: text('EXPR', 'Only calls that match.'),
    by: text(
      'NAME[,NAME]',
      'What makes a group, such as service, path, error or src_service,service. Default: service.',
    ),
    unanswered: flag('Percentiles count unanswered requests by the time that their clients waited.'),
    ...windowOptions,
    limit: whole('N', 'Maximum number of groups. Default: 100.', 1, 1000),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const { db, kfl, limit, by, unanswered } = options
    const answer = await openHub(input).call('get_api_stats', {
      db,
      kfl,
      limit,
      ...windowOf(options),
      group_by: by,
      include_unanswered: unanswered ? 'true' : undefined,
    })
    if (!wantsTable(options, terminal)) await showJson(terminal, answer)
    else {
      await terminal.out(
        formatTable(
          [
            {
              title: (by ?? 'service').toUpperCase(),
              cell: (one) => one.group,
              shrinks: true,
              readableWidth: 24,
            },
            { title: 'NS', cell: (one) => one.ns, isRare: true },
            { title: 'CALLS', cell: (one) => one.calls, align: 'right' },
            { title: 'ERRORS', cell: (one) => one.errors - one.capture_errors, align: 'right' },
            {
              title: 'PARTIAL',
              cell: (one) => one.capture_errors || undefined,
              align: 'right',
              isRare: true,
            },
            {
              title: 'UNANSWERED',
              cell: (one) => one.unanswered || undefined,
              align: 'right',
              isRare: true,
            },
            { title: 'WAITED', cell: (one) => formatMs(one.waited_avg_ms), align: 'right', isRare: true },
            { title: 'RATE/s', cell: (one) => one.rate.toFixed(1), align: 'right' },
            { title: 'P50', cell: (one) => formatMs(one.latency_p50_ms), align: 'right' },
            { title: 'P90', cell: (one) => formatMs(one.latency_p90_ms), align: 'right', isOptional: true },
            { title: 'P99', cell: (one) => formatMs(one.latency_p99_ms), align: 'right' },
            { title: 'BYTES', cell: (one) => formatBytes(one.bytes), align: 'right', isOptional: true },
            {
              title: 'HANDSHAKE P50 us',
              cell: (one) => one.tcp_handshake_p50_us,
              align: 'right',
              isOptional: true,
            },
          ],
          answer.groups,
          terminal,
        ),
      )
      noteIncomplete(terminal, answer.incomplete)
    }
    notePaused(terminal, answer.indexing, 'only calls up to then are counted.')
    if (answer.counted_from_at !== undefined)
      terminal.note(`The filter reads payloads: only calls from ${answer.counted_from_at} on were counted.`)
    return exitStatus.done
  },
})
