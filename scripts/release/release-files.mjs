import { createHash } from 'node:crypto'
import { buildImage } from '../image/build-image.mjs'
import { ociArchive } from '../image/oci-image.mjs'
import { billOfMaterials } from './bill-of-materials.mjs'
import { chartPackage, plainManifests } from './chart-package.mjs'
import { homebrewFormula } from './homebrew-formula.mjs'
import { krewManifest } from './krew-manifest.mjs'
import { mcpServerEntry } from './mcp-server-entry.mjs'
import { npmPackage } from './npm-package.mjs'
import { packArchive } from './pack-archive.mjs'
import { pluginFiles } from './plugin-files.mjs'
import { archivePlatforms, programArchive } from './program-archive.mjs'
import { provenance } from './provenance.mjs'
import { publicNames } from './public-names.mjs'
import { rootManifest } from './sources.mjs'

/**
 * THE list of what a release has, as files of `dist/release`, one after another. Two builds of one revision give the same bytes.
 *
 * @returns {Generator<{path: string, content: Buffer}>}
 */
export function* releaseFiles() {
  const { version, description: summary, license } = rootManifest
  const made = []
  const add = (path, content) => {
    made.push({ path, sha256: createHash('sha256').update(content).digest('hex') })
    return { path, content }
  }
  const sumOf = (path) => made.find((one) => one.path === path).sha256

  const packageFile = `tapdeck-${version}.tgz`
  yield add(packageFile, npmPackage())
  yield add(`tapdeck-${version}.chart.tgz`, chartPackage())
  yield add('tapdeck.yaml', plainManifests())
  const archives = []
  for (const platform of archivePlatforms) {
    const fileName = `tapdeck-${version}-${platform.os}-${platform.architecture}.tar.gz`
    yield add(fileName, programArchive(platform))
    archives.push({ ...platform, fileName, sha256: sumOf(fileName) })
  }
  const image = buildImage(['amd64', 'arm64'])
  yield add('image.oci.tar', ociArchive(`${publicNames.image}:${version}`, image))
  yield add('tapdeck.krew.yaml', Buffer.from(krewManifest({ version, summary, archives })))
  const formula = { version, summary, license, fileName: packageFile, sha256: sumOf(packageFile) }
  yield add('tapdeck.rb', Buffer.from(homebrewFormula(formula)))
  yield add('server.json', json(mcpServerEntry()))
  const plugin = pluginFiles()
  for (const { path, content } of plugin) yield add(`plugin/${path}`, content)
  // A release page takes files, not folders.
  yield add(`tapdeck-${version}.plugin.tgz`, packArchive(plugin, 'tapdeck'))
  yield add('sbom.json', json(billOfMaterials()))
  yield add('provenance.json', json(provenance([...made], image.top.descriptor.digest)))
  const sums = made.map(({ path, sha256 }) => `${sha256}  ${path}\n`)
  yield { path: 'SHA256SUMS', content: Buffer.from(sums.join('')) }
}

function json(value) {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}
