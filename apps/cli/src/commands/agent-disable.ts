import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { showAgent } from '../hub/show-agent.ts'

export const agentDisable = command({
  name: 'agent disable',
  summary: 'Stops a network agent and keeps it.',
  operations: ['disable_agent'],
  takes: 'NAME',
  words: [1, 1],
  options: hubOptions,
  async run(input) {
    const { options, words, terminal } = input
    const agent = await openHub(input).call('disable_agent', { name: words[0]! })
    await showAgent(agent, wantsTable(options, terminal), terminal)
    return exitStatus.done
  },
})
