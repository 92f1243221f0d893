import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { publicLinks } from './release/public-names.mjs'

/**
 * `npm run set-version -- X.Y.Z` writes the version into all manifests, the dependencies between them, the lock file and the chart; and
 * the addresses of `scripts/release.json` into the manifest of the repository.
 */
const [version] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) {
  say('Give the version as three numbers: npm run set-version -- 0.2.0')
  process.exit(2)
}

const workspaces = ['packages', 'apps'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
)
for (const folder of ['.', ...workspaces]) change(join(folder, 'package.json'), setVersion)
change('package.json', (manifest) => Object.assign(manifest, publicLinks()))
change('package-lock.json', (lock) => {
  lock.version = version
  for (const folder of ['', ...workspaces]) if (lock.packages[folder]) setVersion(lock.packages[folder])
})
changeChart(join(root, 'deploy', 'helm', 'tapdeck', 'Chart.yaml'))
say(`The version is ${version}. Run npm run manifests, and give CHANGELOG.md its section.`)

function setVersion(manifest) {
  manifest.version = version
  for (const kind of ['dependencies', 'devDependencies'])
    for (const name of Object.keys(manifest[kind] ?? {}))
      if (name.startsWith('@tapdeck/')) manifest[kind][name] = version
}

function change(path, edit) {
  const file = join(root, path)
  const value = JSON.parse(readFileSync(file, 'utf8'))
  edit(value)
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

function changeChart(file) {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/^(version|appVersion):.*$/gm, `$1: ${version}`))
}
