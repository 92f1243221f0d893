import { readFileSync } from 'node:fs'
import { nativePackages } from '../bundles.mjs'
import { root } from '../checkout.mjs'
import { nodeLicense, nodeProgram } from '../image/node-release.mjs'
import { productionPackages } from '../image/production-packages.mjs'
import { packArchive } from './pack-archive.mjs'
import { programFiles } from './program-files.mjs'
import { rootManifest } from './sources.mjs'

/** Where the archive runs. The registry has the Node.js of this release for Linux alone; elsewhere the machine's own is used. */
export const archivePlatforms = [
  { os: 'linux', architecture: 'amd64' },
  { os: 'linux', architecture: 'arm64' },
  { os: 'darwin', architecture: 'amd64' },
  { os: 'darwin', architecture: 'arm64' },
]

/** Follows links, because package managers install it as one (`kubectl-tapdeck`). */
const LAUNCHER = `#!/bin/sh
file=$0
while [ -L "$file" ]; do
  target=$(readlink "$file")
  case $target in /*) file=$target ;; *) file=$(dirname "$file")/$target ;; esac
done
folder=$(cd "$(dirname "$file")" && pwd)
node=$folder/node
if [ ! -x "$node" ] && ! node=$(command -v node); then
  echo 'tapdeck: this needs Node.js ${rootManifest.engines.node.replace('>=', '')} or newer on the path' >&2
  exit 1
fi
exec "$node" "$folder/dist/tapdeck.mjs" "$@"
`

/** Tapdeck in one folder for one platform, without npm: it is unpacked, and `tapdeck` in it runs. */
export function programArchive(platform) {
  const entries = [
    { path: 'tapdeck', mode: 0o755, content: Buffer.from(LAUNCHER) },
    ...programFiles(),
    ...productionPackages(root, nativePackages, platform),
    ...(platform.os === 'linux' ? nodeFiles(platform.architecture) : []),
  ]
  return packArchive(entries, 'tapdeck')
}

function nodeFiles(architecture) {
  const program = nodeProgram(architecture)
  return [
    { path: 'node', mode: 0o755, content: readFileSync(program) },
    { path: 'LICENSE.node', mode: 0o644, content: readFileSync(nodeLicense(program)) },
  ]
}
