import { text } from '../arguments/option.ts'
import { command } from '../command.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { runPart } from '../parts/run-part.ts'

export const worker = command({
  name: 'worker',
  summary: 'Runs the worker of this machine alone: it captures, records and indexes for a hub.',
  options: { ...configOptions, url: text('URL', 'Where the hub is (hub.url); TAPDECK_URL.') },
  async run({ options, env }) {
    const url = options.url ?? env.TAPDECK_URL
    const set = url === undefined ? options.set : [...options.set, `hub.url=${url.replaceAll(',', '\\,')}`]
    return runPart('worker', await loadConfig({ ...options, set }, env))
  },
})
