import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checkout.mjs'
import { nodeRelease } from '../image/node-release.mjs'
import { publicNames } from './public-names.mjs'
import { isChanged, revision, rootManifest, sourceTime } from './sources.mjs'

/**
 * What these files were made from, as an in-toto statement with SLSA provenance. It is not signed: the release workflow signs the
 * checksums, which contain it.
 *
 * @param {readonly {path: string, sha256: string}[]} files
 * @param {string} imageDigest
 */
export function provenance(files, imageDigest) {
  const { repository, image } = publicNames
  const commit = revision()
  const lockFile = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      ...files.map(({ path, sha256 }) => ({ name: path, digest: { sha256 } })),
      { name: image, digest: { sha256: imageDigest.replace('sha256:', '') } },
    ],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${repository}/blob/v${rootManifest.version}/CONTRIBUTING.md#release`,
        externalParameters: { command: 'npm run release:pack', version: rootManifest.version },
        internalParameters: { node: process.version, changedFiles: isChanged() },
        resolvedDependencies: [
          ...(commit ? [{ uri: `git+${repository}`, digest: { gitCommit: commit } }] : []),
          { uri: 'package-lock.json', digest: { sha256: lockFile } },
          ...Object.values(nodeRelease.packages).map(({ name, integrity }) => ({
            uri: `pkg:npm/${name}@${nodeRelease.version}`,
            digest: { sha512: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') },
          })),
        ],
      },
      runDetails: {
        builder: { id: `${repository}/blob/v${rootManifest.version}/scripts/release-pack.mjs` },
        metadata: { startedOn: sourceTime() },
      },
    },
  }
}
