/** How a program starts an MCP server. */
interface ServerEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

interface ClientFormat {
  /** Where the entry belongs. */
  readonly file: string
  write(entry: ServerEntry): string
}

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`
const mcpServers = (entry: ServerEntry) => json({ mcpServers: { tapdeck: entry } })
/** A basic string of TOML has the escapes of JSON. */
const toml = (text: string) => JSON.stringify(text)

/** THE list of assistants whose configuration files are known. */
export const clientFormats = {
  'claude-code': { file: '.mcp.json in the folder of the project', write: mcpServers },
  'claude-desktop': {
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    write: mcpServers,
  },
  cursor: { file: '~/.cursor/mcp.json, or .cursor/mcp.json in the folder of the project', write: mcpServers },
  windsurf: { file: '~/.codeium/windsurf/mcp_config.json', write: mcpServers },
  gemini: { file: '~/.gemini/settings.json', write: mcpServers },
  vscode: {
    file: '.vscode/mcp.json in the folder of the project',
    write: (entry) => json({ servers: { tapdeck: { type: 'stdio', ...entry } } }),
  },
  zed: {
    file: '~/.config/zed/settings.json',
    write: (entry) => json({ context_servers: { tapdeck: { source: 'custom', ...entry } } }),
  },
  codex: { file: '~/.codex/config.toml', write: codexEntry },
} as const satisfies Readonly<Record<string, ClientFormat>>

type ClientName = keyof typeof clientFormats

export const clientNames = Object.keys(clientFormats) as ClientName[]

function codexEntry({ command, args, env = {} }: ServerEntry): string {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${toml(value)}`)
  return [
    '[mcp_servers.tapdeck]',
    `command = ${toml(command)}`,
    `args = [${args.map(toml).join(', ')}]`,
    ...(variables.length > 0 ? [`env = { ${variables.join(', ')} }`] : []),
    '',
  ].join('\n')
}
