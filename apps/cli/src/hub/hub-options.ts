import { choice, flag, type OptionValues, text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommandInput } from '../command.ts'
import type { Terminal } from '../output/terminal.ts'
import { HubClient } from './hub-client.ts'
import { tokenOf } from './token-of.ts'

/** The hub of a cluster, through the kubeconfig. */
export const contextOptions = {
  context: text('NAME', 'The hub of the cluster of this kubeconfig context, forwarded to this machine.'),
  namespace: text('NAME', 'With --context: the namespace of the hub. Default: the only one that has a hub.'),
}

const connection = {
  ...contextOptions,
  url: text('URL', 'Where the hub is; TAPDECK_URL, else http://127.0.0.1:8898.'),
  'token-file': text(
    'FILE',
    'A file with the token, for a hub that requires authentication; TAPDECK_TOKEN_FILE. TAPDECK_TOKEN is the token itself.',
  ),
  token: text('TOKEN', 'The token itself. Other users of the machine may read it: prefer a file.'),
}

/** Options of every command that talks to a running hub. */
export const hubOptions = {
  ...connection,
  json: flag('Prints JSON. This is the default when output is not a terminal.'),
  format: choice(['table', 'json'], 'How to print the answer.'),
  utc: flag('Shows times in UTC. Default: local time.'),
}

/** Those of a command that has formats of its own. */
export const connectionOptions = { ...connection, json: hubOptions.json }

export function openHub({
  options,
  env,
}: Pick<CommandInput<Omit<typeof connection, keyof typeof contextOptions>>, 'options' | 'env'>): HubClient {
  const port = /^\d+$/.test(env.TAPDECK_PORT ?? '') ? env.TAPDECK_PORT : '8898'
  const url = options.url ?? (env.TAPDECK_URL || `http://127.0.0.1:${port}`)
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new UsageError(
      `${options.url === undefined ? 'TAPDECK_URL' : '--url'}: expected an http or https address, not "${url}"`,
    )
  return new HubClient(url, tokenOf({ options, env }))
}

/** Tables are the default on a terminal. */
export function wantsTable(options: OptionValues<typeof hubOptions>, terminal: Terminal): boolean {
  if (options.json || options.format === 'json') return false
  return options.format === 'table' || terminal.isScreen
}
