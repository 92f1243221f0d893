import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What `pushImage` needs, from an archive that `ociArchive` wrote: what was checked is what is published. */
export function readArchive(file) {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-archive-'))
  try {
    execFileSync('tar', ['-xf', file, '-C', folder])
    const read = ({ mediaType, digest, size }) => ({
      descriptor: { mediaType, digest, size },
      content: readFileSync(join(folder, 'blobs', digest.replace(':', '/'))),
    })
    const [topDescriptor] = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')).manifests
    const top = read(topDescriptor)
    const { manifests: platforms } = JSON.parse(top.content)
    const ofPlatforms = (platforms ?? [topDescriptor]).map(read)
    const named = ofPlatforms.flatMap(({ content }) => {
      const { config, layers } = JSON.parse(content)
      return [...layers, config]
    })
    const blobs = [...new Map(named.map((one) => [one.digest, one])).values()].map(read)
    return { blobs, manifests: platforms ? [...ofPlatforms, top] : ofPlatforms, top }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
