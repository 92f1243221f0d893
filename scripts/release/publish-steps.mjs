import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checkout.mjs'
import { pushImage } from '../image/push-image.mjs'
import { readArchive } from '../image/read-archive.mjs'
import { changelogSection } from './changelog-section.mjs'

/**
 * THE list of where a release goes. Each step publishes what `npm run release:pack` has written, and runs the tool of its
 * destination, which has the credentials.
 *
 * @type {Readonly<Record<string, (release: {folder: string, version: string, names: Readonly<Record<string, string>>,
 *   run: (command: string, ...args: string[]) => void, note: (line: string) => void}) => void | Promise<void>>>}
 */
export const publishSteps = {
  npm: ({ folder, version, run }) =>
    run('npm', 'publish', join(folder, `tapdeck-${version}.tgz`), '--access', 'public', '--provenance'),

  image: async ({ folder, version, names, note }) => {
    const to = `${names.image}:${version}`
    const { digest } = await pushImage(to, readArchive(join(folder, 'image.oci.tar')))
    note(`${to} ${digest}`)
  },

  chart: ({ folder, version, names, run }) =>
    run('helm', 'push', join(folder, `tapdeck-${version}.chart.tgz`), names.charts),

  // Keyless: the identity of the workflow is the key.
  sign: ({ folder, names, run }) => {
    const { digest } = readArchive(join(folder, 'image.oci.tar')).top.descriptor
    run('cosign', 'sign', '--yes', '--recursive', `${names.image}@${digest}`)
    const bundle = join(folder, 'SHA256SUMS.sigstore.json')
    run('cosign', 'sign-blob', '--yes', '--bundle', bundle, join(folder, 'SHA256SUMS'))
  },

  github: ({ folder, version, names, run }) => {
    const notes = join(root, 'dist', 'release-notes.md')
    const { text } = changelogSection(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
    writeFileSync(notes, `${text}\n`)
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    const repository = names.repository.replace(/^https:\/\//, '')
    const options = [
      '--repo',
      repository,
      '--verify-tag',
      '--title',
      `Tapdeck ${version}`,
      '--notes-file',
      notes,
    ]
    run('gh', 'release', 'create', `v${version}`, ...options, ...files.map(({ name }) => join(folder, name)))
  },
}
