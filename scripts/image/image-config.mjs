import { publicNames } from '../release/public-names.mjs'
import { revision, rootManifest } from '../release/sources.mjs'

/** The user of the image where the pod names none; the number that "nonroot" images use. */
export const USER = 65532

/** How the image runs. `deploy/Containerfile` says the same. */
export function imageConfig() {
  const { version, description, license } = rootManifest
  const commit = revision()
  return {
    User: `${USER}:${USER}`,
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production', 'TAPDECK_DATA=/data'],
    Entrypoint: ['/usr/local/bin/node', '/app/dist/tapdeck.mjs'],
    Cmd: ['--help'],
    WorkingDir: '/app',
    Volumes: { '/data': {} },
    ExposedPorts: { '8898/tcp': {} },
    Labels: {
      'org.opencontainers.image.title': 'tapdeck',
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
      'org.opencontainers.image.source': publicNames.repository,
      'org.opencontainers.image.documentation': `${publicNames.repository}#readme`,
      ...(commit ? { 'org.opencontainers.image.revision': commit } : {}),
    },
  }
}
