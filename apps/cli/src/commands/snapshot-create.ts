import { flag, text, texts } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showSnapshot } from '../hub/show-snapshot.ts'
import { waitForSnapshot } from '../hub/wait-for.ts'
import { showJson } from '../output/show.ts'

export const snapshotCreate = command({
  name: 'snapshot create',
  summary: 'Takes a window out of the recording into a named snapshot.',
  operations: ['create_snapshot'],
  takes: 'NAME',
  words: [1, 1],
  options: {
    duration: text('TIME', 'Length of the most recent window, such as 90s, 30m or 1h.'),
    since: text('DURATION', 'The same as --duration.'),
    start: text('TIME', 'Begin of the window: RFC 3339 or Unix milliseconds.'),
    end: text('TIME', 'End of the window.'),
    node: texts('NAME', 'Only this node.'),
    wait: flag('Waits until the snapshot is complete.'),
    ...hubOptions,
  },
  async run(input) {
    const { options, words, terminal } = input
    const { start, end } = options
    if (options.duration !== undefined && options.since !== undefined)
      throw new UsageError('--since and --duration: give one of them')
    const duration = options.duration ?? options.since
    if ((duration === undefined) === (start === undefined && end === undefined))
      throw new UsageError('give either --duration or --start and --end')
    const hub = openHub(input)
    const name = words[0]!
    const nodes = options.node.length > 0 ? [...options.node] : undefined
    const begun = await hub.call('create_snapshot', { name, duration, start, end, nodes })
    if (!options.wait) {
      if (wantsTable(options, terminal)) await terminal.out(`Snapshot ${begun.name}: ${begun.status}\n`)
      else await showJson(terminal, begun)
      return exitStatus.done
    }
    const snapshot = await waitForSnapshot(hub, name, terminal)
    await showSnapshot(snapshot, wantsTable(options, terminal), terminal)
    return snapshot.status === 'completed' ? exitStatus.done : exitStatus.failed
  },
})
