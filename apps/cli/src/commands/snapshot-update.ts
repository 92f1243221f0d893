import { text, texts } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showSnapshot } from '../hub/show-snapshot.ts'

export const snapshotUpdate = command({
  name: 'snapshot update',
  summary: 'Renames a snapshot, or changes its tags and notes.',
  operations: ['update_snapshot'],
  takes: 'NAME',
  words: [1, 1],
  options: {
    rename: text('NAME', 'Its new name.'),
    tag: texts(
      'TAG',
      'Replaces its tags. A snapshot with the tag keep is not removed by retention. An empty tag removes all tags.',
    ),
    notes: text('TEXT', 'Replaces its notes.'),
    ...hubOptions,
  },
  async run(input) {
    const { options, words, terminal } = input
    if (options.rename === undefined && options.notes === undefined && options.tag.length === 0)
      throw new UsageError('say what is to change: --rename, --tag or --notes')
    const snapshot = await openHub(input).call('update_snapshot', {
      name: words[0]!,
      new_name: options.rename,
      notes: options.notes,
      tags: options.tag.length > 0 ? options.tag.filter((tag) => tag !== '') : undefined,
    })
    await showSnapshot(snapshot, wantsTable(options, terminal), terminal)
    return exitStatus.done
  },
})
