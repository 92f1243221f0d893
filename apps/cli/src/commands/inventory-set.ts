import { text } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showJson } from '../output/show.ts'

export const inventorySet = command({
  name: 'inventory set',
  summary: 'Replaces the pods and services of one source on the hub by those of a file.',
  takes: 'FILE',
  words: [1, 1],
  operations: ['set_inventory'],
  options: {
    source: text('NAME', 'The source that is replaced. Default: file.'),
    ...hubOptions,
  },
  notes: 'The file is YAML or JSON with the lists `pods` and `services`; empty lists remove the source.',
  async run(input) {
    const { options, words, terminal } = input
    const { readInventory } = await import('../dissect/inventory-file.ts')
    const { pods, services } = readInventory(words[0]!)
    const answer = await openHub(input).call('set_inventory', {
      source: options.source,
      pods: [...pods],
      services: [...services],
    })
    if (wantsTable(options, terminal))
      await terminal.out(`The hub has ${answer.pods} pods and ${answer.services} services of this source\n`)
    else await showJson(terminal, answer)
    return exitStatus.done
  },
})
