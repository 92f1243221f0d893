import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showAgent } from '../hub/show-agent.ts'

export const agentEnable = command({
  name: 'agent enable',
  summary: 'Enables a network agent.',
  operations: ['enable_agent'],
  takes: 'NAME',
  words: [1, 1],
  options: hubOptions,
  async run(input) {
    const { options, words, terminal } = input
    const agent = await openHub(input).call('enable_agent', { name: words[0]! })
    await showAgent(agent, wantsTable(options, terminal), terminal)
    return exitStatus.done
  },
})
