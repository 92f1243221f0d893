import { flag, text, texts } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showDissection } from '../hub/show-dissection.ts'
import { waitForDissection } from '../hub/wait-for.ts'
import { showJson } from '../output/show.ts'

export const dissectionStart = command({
  name: 'dissection start',
  summary: 'Starts the dissection of a snapshot into a named database.',
  operations: ['start_snapshot_dissection'],
  takes: 'SNAPSHOT NAME',
  words: [2, 2],
  options: {
    kfl: text('EXPR', 'Only calls that match.'),
    protocol: texts('NAME', 'Only this protocol.'),
    wait: flag('Waits until the dissection is complete.'),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const [snapshot, name] = input.words as [string, string]
    const hub = openHub(input)
    const begun = await hub.call('start_snapshot_dissection', {
      snapshot_name: snapshot,
      dissection_name: name,
      kfl: options.kfl,
      protocols: options.protocol.length > 0 ? [...options.protocol] : undefined,
    })
    if (!options.wait) {
      if (wantsTable(options, terminal))
        await terminal.out(`Dissection ${snapshot}/${name}: ${begun.status}\n`)
      else await showJson(terminal, begun)
      return exitStatus.done
    }
    const dissection = await waitForDissection(hub, snapshot, name, terminal)
    await showDissection(dissection, wantsTable(options, terminal), terminal)
    return dissection.status === 'completed' ? exitStatus.done : exitStatus.failed
  },
})
