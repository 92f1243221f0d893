import { readFile } from 'node:fs/promises'
import type { OperationRequest } from '@tapdeck/api'
import { choice, flag, text, texts } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { notePaused } from '../hub/note-paused.ts'
import { showAgent } from '../hub/show-agent.ts'

type Actions = OperationRequest<'create_agent'>['actions']

export const agentCreate = command({
  name: 'agent create',
  summary: 'Makes a network agent: a filter for live calls, and actions for matches.',
  operations: ['create_agent'],
  takes: 'NAME',
  words: [1, 1],
  options: {
    kfl: text('EXPR', 'Only calls that match.'),
    webhook: text('URL', 'Sends matching calls there.'),
    'secret-file': text('FILE', 'Signs webhooks with the secret in this file.'),
    counter: text('METRIC', 'Counts matches as tapdeck_agent_METRIC_total.'),
    histogram: text('METRIC', 'Measures latencies as tapdeck_agent_METRIC_ms.'),
    label: texts('FIELD', 'A label of the metric, such as dst.svc or status.'),
    log: choice(['info', 'warn', 'error'], 'Writes a line to the log of the hub.'),
    script: text('FILE', 'Runs this JavaScript in a sandbox; it defines onCall(call) and uses emit(…).'),
    disabled: flag('Makes it disabled.'),
    ...hubOptions,
  },
  async run(input) {
    const { options, words, terminal } = input
    const actions = await actionsOf(options)
    if (actions.length === 0)
      throw new UsageError('give at least one of --webhook, --counter, --histogram, --log and --script')
    const hub = openHub(input)
    const agent = await hub.call('create_agent', {
      name: words[0]!,
      kfl: options.kfl,
      enabled: !options.disabled,
      actions,
    })
    await showAgent(agent, wantsTable(options, terminal), terminal)
    if (!options.disabled) notePaused(terminal, await hub.call('get_switch', {}), 'the agent sees no calls.')
    return exitStatus.done
  },
})

interface Given {
  readonly webhook: string | undefined
  readonly 'secret-file': string | undefined
  readonly counter: string | undefined
  readonly histogram: string | undefined
  readonly label: readonly string[]
  readonly log: 'info' | 'warn' | 'error' | undefined
  readonly script: string | undefined
}

async function actionsOf(given: Given): Promise<Actions> {
  const actions: Actions = []
  // The hub checks them; here they are words.
  const labels = [...given.label] as Extract<Actions[number], { kind: 'metric' }>['labels']
  if (given.webhook !== undefined) {
    const secret = given['secret-file'] && (await readText(given['secret-file'])).trim()
    actions.push({ kind: 'webhook', url: given.webhook, ...(secret && { secret }) })
  }
  if (given.counter !== undefined)
    actions.push({ kind: 'metric', type: 'counter', name: given.counter, labels })
  if (given.histogram !== undefined)
    actions.push({ kind: 'metric', type: 'histogram', name: given.histogram, labels })
  if (given.log !== undefined) actions.push({ kind: 'log', level: given.log })
  if (given.script !== undefined) actions.push({ kind: 'script', source: await readText(given.script) })
  return actions
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
