import { resolve } from 'node:path'
import { choice, flag } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { tokenOf } from '../hub/token-of.ts'
import { clientFormats, clientNames } from '../mcp/client-entry.ts'
import { launchCommand } from '../mcp/launch-command.ts'
import { showJson } from '../output/show.ts'

const { json: _json, ...connection } = connectionOptions

export const mcp = command({
  name: 'mcp',
  summary: 'Serves AI assistants over standard input and output (MCP), on behalf of a running hub.',
  options: {
    config: flag(
      'Prints the entry for the configuration file of an assistant and ends. It works in any folder.',
    ),
    client: choice(
      clientNames,
      'With --config: the assistant whose format is printed. Default: the format that most of them read.',
    ),
    structured: flag('Sends answers as structured content with schemas, instead of text.'),
    ...connection,
  },
  notes: 'The role of the token must have mcp:use.',
  async run(input) {
    const { options, terminal } = input
    const { base } = openHub(input)
    if (options.client && !options.config) throw new UsageError('--client: only with --config')
    if (options.config) {
      const { command, args } = launchCommand()
      const tokenFile = options['token-file'] ?? (options.token ? undefined : input.env.TAPDECK_TOKEN_FILE)
      const entry = {
        command,
        args: [
          ...args,
          'mcp',
          ...hubArguments(options, base),
          ...(options.structured ? ['--structured'] : []),
        ],
        ...(tokenFile && { env: { TAPDECK_TOKEN_FILE: resolve(tokenFile) } }),
      }
      if (options.client) {
        const { file, write } = clientFormats[options.client]
        await terminal.out(write(entry))
        terminal.note(`Add this to ${file}.`)
      } else await showJson(terminal, { mcpServers: { tapdeck: entry } })
      if (!tokenFile && tokenOf(input) !== undefined)
        terminal.note(
          'The token is not part of the entry. Write it to a file that only you can read, and add "env": { "TAPDECK_TOKEN_FILE": "/path/to/that/file" } to the entry.',
        )
      return exitStatus.done
    }
    const { McpBridge } = await import('../mcp/mcp-bridge.ts')
    const bridge = McpBridge.onStandardStreams({
      url: new URL(`${base}/mcp${options.structured ? '?structured=true' : ''}`),
      token: tokenOf(input),
      note: (line) => terminal.note(`tapdeck mcp: ${line}`),
    })
    process.stdin.once('end', () => void bridge.leave())
    await bridge.run()
    return exitStatus.done
  },
})

/** How an assistant's entry names the hub: a forwarded address is gone by then, its context is not. */
function hubArguments(
  { context, namespace }: { readonly context?: string | undefined; readonly namespace?: string | undefined },
  base: string,
): string[] {
  if (context === undefined) return ['--url', base]
  return ['--context', context, ...(namespace === undefined ? [] : ['--namespace', namespace])]
}
