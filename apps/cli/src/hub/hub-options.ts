import { choice, flag, type OptionValues, text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommandInput } from '../command.ts'
import type { Terminal } from '../output/terminal.ts'
import { HubClient } from './hub-client.ts'

const connection = {
  url: text('URL', 'Where the hub is; TAPDECK_URL, else http://127.0.0.1:8898.'),
  token: text('TOKEN', 'Credential, where the hub identifies its callers; TAPDECK_TOKEN.'),
}

/** Options of every command that talks to a running hub. */
export const hubOptions = {
  ...connection,
  json: flag('Prints JSON; so does output that goes to no screen.'),
  format: choice(['table', 'json'], 'How to print the answer.'),
}

/** Those of a command that has formats of its own. */
export const connectionOptions = { ...connection, json: hubOptions.json }

export function openHub({
  options,
  env,
}: Pick<CommandInput<typeof connection>, 'options' | 'env'>): HubClient {
  const port = env.TAPDECK_PORT || '8898'
  const url = options.url ?? (env.TAPDECK_URL || `http://127.0.0.1:${port}`)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new UsageError(
      `${options.url === undefined ? 'TAPDECK_URL' : '--url'}: expected an http or https address, not "${url}"`,
    )
  const token = options.token ?? env.TAPDECK_TOKEN
  if (token !== undefined && !/^[\x21-\x7e]*$/.test(token))
    throw new UsageError(
      `${options.token === undefined ? 'TAPDECK_TOKEN' : '--token'}: a token is one word, without blanks and line ends`,
    )
  return new HubClient(url, token)
}

/** Tables are for eyes: on a screen, or where asked for. */
export function wantsTable(options: OptionValues<typeof hubOptions>, terminal: Terminal): boolean {
  if (options.json || options.format === 'json') return false
  return options.format === 'table' || terminal.isScreen
}
