import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { dateColumn } from '../output/clock.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { TokenRepository } from '../tokens/token-repository.ts'

interface ShownToken {
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly expired: boolean
}

const { values, set, data } = configOptions

export const tokenList = command({
  name: 'token list',
  summary: 'Lists the API tokens of the hub whose data folder this is, newest first.',
  options: {
    data,
    values,
    set,
    'set-string': configOptions['set-string'],
    json: flag('Prints JSON. This is the default when output is not a terminal.'),
    utc: flag('Shows times in UTC. Default: local time.'),
  },
  async run({ options, env, terminal }) {
    const { config } = await loadConfig({ ...options, host: undefined, port: undefined, interface: [] }, env)
    const tokens = (await new TokenRepository(config.data).list()).map(
      ({ record: { digest, ...record }, lastUsed }) => ({
        ...record,
        last_used_at: lastUsed === undefined ? null : new Date(lastUsed).toISOString(),
        expired: record.expires_at !== null && Date.parse(record.expires_at) <= Date.now(),
      }),
    )
    if (options.json || !terminal.isScreen) await showJson(terminal, { tokens })
    else
      await terminal.out(
        formatTable(
          [
            { title: 'ID', cell: (one) => one.id },
            { title: 'NAME', cell: (one) => one.name, shrinks: true },
            { title: 'ROLE', cell: (one) => one.role },
            dateColumn('CREATED', (one: ShownToken) => one.created_at, options),
            dateColumn(
              'EXPIRES',
              (one: ShownToken) => (one.expired ? 'expired' : one.expires_at),
              options,
              'never',
            ),
            {
              ...dateColumn('LAST USED', (one: ShownToken) => one.last_used_at, options, 'never'),
              isOptional: true,
            },
          ],
          tokens,
          terminal,
        ),
      )
    return exitStatus.done
  },
})
