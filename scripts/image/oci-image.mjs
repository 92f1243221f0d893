import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { tarArchive } from './tar-archive.mjs'

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'

/**
 * An image as one archive: an OCI image layout that also carries the `manifest.json` of `docker save`, so that `ctr`,
 * `docker load`, `podman load` and `skopeo` all take it.
 *
 * @param {{name: string, architecture: string, created: string, config: object,
 *          layers: readonly {title: string, entries: Parameters<typeof tarArchive>[0]}[]}} image
 */
export function ociImage({ name, architecture, created, config, layers }) {
  const packed = layers.map(({ title, entries }) => {
    const archive = tarArchive(entries)
    const content = gzipSync(archive, { level: 9 })
    return { title, diffId: digest(archive), bytes: archive.length, blob: blob(LAYER, content) }
  })
  const configuration = blob(
    CONFIG,
    json({
      architecture,
      os: 'linux',
      created,
      config,
      rootfs: { type: 'layers', diff_ids: packed.map(({ diffId }) => diffId) },
      history: packed.map(({ title }) => ({ created, created_by: title })),
    }),
  )
  const manifest = blob(
    MANIFEST,
    json({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: configuration.descriptor,
      layers: packed.map(({ blob }) => blob.descriptor),
      annotations: config.Labels,
    }),
  )
  const tag = name.slice(name.lastIndexOf(':') + 1)
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        ...manifest.descriptor,
        platform: { architecture, os: 'linux' },
        annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': tag },
      },
    ],
  }
  const blobs = [...packed.map(({ blob }) => blob), configuration, manifest]
  const dockerManifest = [
    {
      Config: configuration.path,
      RepoTags: [name],
      Layers: packed.map(({ blob }) => blob.path),
    },
  ]
  const archive = tarArchive([
    { path: 'blobs/', mode: 0o755 },
    { path: 'blobs/sha256/', mode: 0o755 },
    ...unique(blobs).map(({ path, content }) => ({ path, mode: 0o644, content })),
    { path: 'index.json', mode: 0o644, content: json(index) },
    { path: 'manifest.json', mode: 0o644, content: json(dockerManifest) },
    { path: 'oci-layout', mode: 0o644, content: json({ imageLayoutVersion: '1.0.0' }) },
  ])
  return {
    archive,
    digest: manifest.descriptor.digest,
    layers: packed.map(({ title, bytes, blob }) => ({ title, bytes, packed: blob.content.length })),
  }
}

function blob(mediaType, content) {
  const sum = digest(content)
  return {
    content,
    path: `blobs/${sum.replace(':', '/')}`,
    descriptor: { mediaType, digest: sum, size: content.length },
  }
}

function unique(blobs) {
  return [...new Map(blobs.map((one) => [one.path, one])).values()]
}

function digest(bytes) {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

function json(value) {
  return Buffer.from(JSON.stringify(value))
}
