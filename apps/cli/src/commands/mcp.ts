import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { flag } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { connectionOptions, openHub } from '../hub/hub-options.ts'
import { McpBridge } from '../mcp/mcp-bridge.ts'
import { showJson } from '../output/show.ts'

const { json: _json, ...connection } = connectionOptions

export const mcp = command({
  name: 'mcp',
  summary: 'Serves AI assistants over standard input and output (MCP), on behalf of a running hub.',
  options: {
    config: flag('Prints the entry for an assistant’s configuration file and ends.'),
    ...connection,
  },
  notes: 'The token may also stand in TAPDECK_TOKEN. Its role must hold mcp:use.',
  async run(input) {
    const { options, terminal, env } = input
    const { base } = openHub(input)
    if (options.config) {
      await showJson(terminal, {
        mcpServers: { tapdeck: { command: 'npx', args: ['tapdeck', 'mcp', '--url', base] } },
      })
      return exitStatus.done
    }
    const assistant = new StdioServerTransport()
    const bridge = new McpBridge(assistant, {
      url: new URL(`${base}/mcp`),
      token: options.token ?? env.TAPDECK_TOKEN,
      note: (line) => terminal.note(`tapdeck mcp: ${line}`),
    })
    process.stdin.once('end', () => void bridge.leave())
    await bridge.run()
    return exitStatus.done
  },
})
