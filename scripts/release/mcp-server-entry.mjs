import { publicNames } from './public-names.mjs'
import { rootManifest } from './sources.mjs'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

/** `server.json` of the MCP registry: the npm package, started as `npx tapdeck mcp`. */
export function mcpServerEntry() {
  const { version, description } = rootManifest
  const { repository, npm, mcp } = publicNames
  return {
    $schema: SCHEMA,
    name: mcp,
    title: 'Tapdeck',
    description,
    version,
    websiteUrl: repository,
    repository: { url: repository, source: 'github' },
    packages: [
      {
        registryType: 'npm',
        identifier: npm,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          { name: 'TAPDECK_URL', description: 'Address of the hub. Default: the hub of this machine.' },
          {
            name: 'TAPDECK_TOKEN_FILE',
            description: 'File with an API token of the hub.',
            format: 'filepath',
          },
        ],
      },
    ],
  }
}
