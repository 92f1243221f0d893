import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { nativePackages } from '../bundles.mjs'
import { root } from '../checkout.mjs'
import { programFiles } from '../release/program-files.mjs'
import { USER } from './image-config.mjs'
import { nodeLicense, nodeProgram } from './node-release.mjs'
import { productionPackages } from './production-packages.mjs'
import { sharedLibraries } from './shared-libraries.mjs'

/** THE list of what is in the image, by layer; what changes rarely comes first. `--folder` writes the same files. */
export function imageLayers(architecture) {
  const node = nodeProgram(architecture)
  const packages = productionPackages(root, nativePackages, { architecture })
  const native = packages.filter(({ path }) => /\.(node|so)$/.test(path)).map(({ source }) => source)
  const inApp = (entries) => entries.map((entry) => ({ ...entry, path: `app/${entry.path}` }))
  return [
    { title: 'system', entries: [...systemFiles(), ...sharedLibraries(architecture, [node, ...native])] },
    {
      title: 'node',
      entries: [
        { path: 'usr/local/bin/node', mode: 0o755, content: readFileSync(node) },
        {
          path: 'usr/local/share/licenses/node/LICENSE',
          mode: 0o644,
          content: readFileSync(nodeLicense(node)),
        },
      ],
    },
    { title: 'packages', entries: inApp(packages) },
    { title: 'tapdeck', entries: inApp(programFiles()) },
  ].map(({ title, entries }) => ({ title, entries: withFolders(entries) }))
}

function systemFiles() {
  const text = (path, content) => ({ path, mode: 0o644, content: Buffer.from(content) })
  return [
    text(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\ntapdeck:x:${USER}:${USER}:tapdeck:/data:/sbin/nologin\n`,
    ),
    text('etc/group', `root:x:0:\ntapdeck:x:${USER}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    { path: 'tmp/', mode: 0o1777 },
    { path: 'data/', mode: 0o700, owner: USER },
  ]
}

/** Every folder on the way to a file, so that no unpacker chooses its own rights for them. */
function withFolders(entries) {
  const folders = new Map()
  for (const { path } of entries) {
    for (let folder = dirname(path.replace(/\/$/, '')); folder !== '.'; folder = dirname(folder))
      folders.set(`${folder}/`, { path: `${folder}/`, mode: 0o755 })
  }
  for (const { path } of entries) folders.delete(path)
  return [...folders.values(), ...entries]
}
