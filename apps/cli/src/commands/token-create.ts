import { acceptedRoles } from '@tapdeck/config/roles'
import { parseDuration } from '@tapdeck/units'
import { flag, text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { showJson } from '../output/show.ts'
import { configOptions, loadConfig } from '../parts/config-options.ts'
import { TokenRepository } from '../tokens/token-repository.ts'

const DAY_MS = 86_400_000
const MAX_MS = 3660 * DAY_MS
const { values, set, data } = configOptions

export const tokenCreate = command({
  name: 'token create',
  summary: 'Makes an API token for a caller of the hub, and prints it once.',
  options: {
    role: text(
      'ROLE',
      'Role of the caller: svc-admin, svc-realtime, svc-snapshot, svc-viewer, or one of the configuration. Needed.',
    ),
    name: text('NAME', 'Name of the caller in lists and logs. Default: the role.'),
    expires: text('DURATION', 'How long it is valid: 12h, 30d, or never. Default: 90d.'),
    data,
    values,
    set,
    'set-string': configOptions['set-string'],
    json: flag('Prints JSON.'),
  },
  notes:
    'It works on the data folder, on the machine of the hub, whether or not the hub runs; only a hash is kept. Callers send it as `Authorization: Bearer …`; the command line takes it from a file (--token-file, TAPDECK_TOKEN_FILE) or from TAPDECK_TOKEN.',
  async run({ options, env, terminal }) {
    const { role, expires = '90d' } = options
    if (role === undefined) throw new UsageError('expected --role ROLE')
    const { config } = await loadConfig({ ...options, host: undefined, port: undefined, interface: [] }, env)
    const known = [...acceptedRoles, ...Object.keys(config.tap.auth.roles)]
    if (!known.includes(role))
      throw new UsageError(`--role: there is no role "${role}"; there are ${known.join(', ')}`)
    const name = options.name ?? role
    if (name === '' || name.length > 120 || /\p{Cc}/u.test(name))
      throw new UsageError('--name: expected 1 to 120 characters')
    const lasts = expires === 'never' ? undefined : parseDuration(expires)
    if (expires !== 'never' && (lasts === undefined || lasts <= 0 || lasts > MAX_MS))
      throw new UsageError(`--expires: expected a duration such as 12h or 30d, or never, not "${expires}"`)
    const { record, token } = await new TokenRepository(config.data).create(name, role, Date.now(), lasts)
    const { digest, ...shown } = record
    if (options.json) await showJson(terminal, { ...shown, token })
    else {
      await terminal.out(`${token}\n`)
      terminal.note(
        `Token ${record.id} (${name}, ${role}) ${record.expires_at === null ? 'never expires' : `expires at ${record.expires_at}`}. It is not shown again.`,
      )
      if (!config.tap.auth.enabled) terminal.note('Tokens have an effect only with tap.auth.enabled=true.')
    }
    return exitStatus.done
  },
})
