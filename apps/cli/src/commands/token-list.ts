import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { TokenShelf } from '../tokens/token-shelf.ts'

const { values, set, data } = configOptions

export const tokenList = command({
  name: 'token list',
  summary: 'Lists the API tokens of the hub whose data folder this is, newest first.',
  options: {
    data,
    values,
    set,
    'set-string': configOptions['set-string'],
    json: flag('Prints JSON; so does output that goes to no screen.'),
  },
  async run({ options, env, terminal }) {
    const { config } = loadConfig({ ...options, host: undefined, port: undefined, interface: [] }, env)
    const tokens = (await new TokenShelf(config.data).list()).map(
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
            { title: 'CREATED', cell: (one) => one.created_at.slice(0, 19) },
            {
              title: 'EXPIRES',
              cell: (one) => (one.expired ? 'expired' : (one.expires_at?.slice(0, 19) ?? 'never')),
            },
            { title: 'LAST USED', cell: (one) => one.last_used_at?.slice(0, 19) ?? 'never' },
          ],
          tokens,
          terminal.width,
        ),
      )
    return exitStatus.done
  },
})
