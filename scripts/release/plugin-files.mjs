import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { root } from '../checkout.mjs'
import { publicNames } from './public-names.mjs'
import { rootManifest } from './sources.mjs'

/** A plugin for assistants that take a folder: the MCP server, started by npx, and the instructions of `skills/`. */
export function pluginFiles() {
  const { version, description, license } = rootManifest
  const { repository, npm } = publicNames
  const manifest = { name: 'tapdeck', version, description, homepage: repository, repository, license }
  const servers = { mcpServers: { tapdeck: { command: 'npx', args: ['-y', `${npm}@${version}`, 'mcp'] } } }
  const files = [
    { path: '.claude-plugin/plugin.json', content: json(manifest) },
    { path: '.mcp.json', content: json(servers) },
    { path: 'LICENSE', content: readFileSync(join(root, 'LICENSE')) },
    ...skills(),
  ]
  return files.map((file) => ({ ...file, mode: 0o644 }))
}

function skills() {
  return readdirSync(join(root, 'skills'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(root, file), content: readFileSync(file) }))
}

function json(value) {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
