import { bundleDashboard } from './build.mjs'
import { dashboardBundle } from './bundles.mjs'
import { say } from './checkout.mjs'
import { firstLoadKb, pageWeight } from './page-weight.mjs'

/** Files below this are in one line of the table. */
const SMALL = 4096

const { build } = await import('esbuild')
const files = pageWeight(await bundleDashboard(build), dashboardBundle)
const kb = (bytes) => (bytes / 1024).toFixed(1)
const line = (name, loaded, bytes) => say(`| ${name} | ${loaded} | ${kb(bytes)} |`)
say('| file | loaded | KB, gzipped |')
say('|---|---|---|')
for (const isFirst of [true, false]) {
  const loaded = isFirst ? 'at first' : 'when opened'
  const group = files.filter((file) => file.isFirst === isFirst)
  for (const { name, gzipped } of group)
    if (gzipped >= SMALL) line(name.replace(/-[0-9A-Z]{8}(?=\.)/, ''), loaded, gzipped)
  const small = group.filter(({ gzipped }) => gzipped < SMALL)
  line(
    `${small.length} smaller files`,
    loaded,
    small.reduce((sum, { gzipped }) => sum + gzipped, 0),
  )
}
say(`\nFirst load: ${firstLoadKb(files)} KB`)
