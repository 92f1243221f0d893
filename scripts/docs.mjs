import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { nodeSettings } from './bundles.mjs'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/** Writes the pages and schemas that are made from code. Tests fail when they are out of date. */
const contents = `
  import { allCommands } from './apps/cli/src/commands/index.ts'
  import { cliReference, commandSummaries } from './apps/cli/src/help.ts'
  import { chartRestartKeys, chartValuesSchema, configReference } from '@tapdeck/config'
  import { apiReference, routeTable } from '@tapdeck/api'
  import { protocols } from '@tapdeck/dissect'
  import { createCatalog, fieldReference } from '@tapdeck/kfl'
  const commands = await allCommands()
  export const pages = {
    'docs/api.md': apiReference(),
    'apps/dashboard/src/client/routes.ts': routeTable(),
    'docs/cli.md': cliReference(commands),
    'apps/cli/src/commands/summaries.json': commandSummaries(commands),
    'docs/configuration.md': configReference(),
    'docs/kfl-fields.md': fieldReference(createCatalog(protocols)),
    'deploy/helm/tapdeck/restart-keys.json': chartRestartKeys(),
    'deploy/helm/tapdeck/values.schema.json': chartValuesSchema(),
  }
`

await ensureInstalled()
const { build } = await import('esbuild')
const outfile = join(root, 'dist', 'docs.mjs')
const stdin = { contents, resolveDir: root, loader: 'ts' }
await build({ ...nodeSettings, absWorkingDir: root, stdin, outfile })
const { pages } = await import(pathToFileURL(outfile).href)
for (const [page, text] of Object.entries(pages)) {
  writeFileSync(join(root, page), text)
  say(`Wrote ${page}`)
}
