import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { tarArchive } from './tar-archive.mjs'

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const INDEX = 'application/vnd.oci.image.index.v1+json'

/**
 * The image of one platform: its manifest, and the blobs that it names.
 *
 * @param {{architecture: string, created: string, config: object,
 *          layers: readonly {title: string, entries: Parameters<typeof tarArchive>[0]}[]}} image
 */
export function ociImage({ architecture, created, config, layers }) {
  const packed = layers.map(({ title, entries }) => {
    const archive = tarArchive(entries)
    const content = gzipSync(archive)
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
  return {
    architecture,
    manifest,
    configuration,
    layers: packed.map(({ title, bytes, blob }) => ({ title, bytes, packed: blob.content.length, blob })),
  }
}

/**
 * What a name leads to: the manifest of one image, or an index of several platforms. `manifests` are what is pushed by name and
 * digest, the last one is named; `blobs` must be there before.
 *
 * @param {readonly ReturnType<typeof ociImage>[]} images
 */
export function ociContent(images) {
  const blobs = unique(
    images.flatMap(({ layers, configuration }) => [...layers.map((one) => one.blob), configuration]),
  )
  const manifests = images.map(({ manifest }) => manifest)
  if (images.length === 1) return { blobs, manifests, top: manifests[0], images }
  const [{ manifest }] = images
  const index = blob(
    INDEX,
    json({
      schemaVersion: 2,
      mediaType: INDEX,
      manifests: images.map(({ manifest, architecture }) => ({
        ...manifest.descriptor,
        platform: { architecture, os: 'linux' },
      })),
      annotations: JSON.parse(manifest.content).annotations,
    }),
  )
  return { blobs, manifests: [...manifests, index], top: index, images }
}

/**
 * The content as one archive: an OCI image layout, which `ctr`, `podman load` and `skopeo` take. With one platform it also carries
 * the `manifest.json` of `docker save`, for every `docker load`.
 *
 * @param {string} name
 * @param {ReturnType<typeof ociContent>} content
 */
export function ociArchive(name, { blobs, manifests, top, images }) {
  const tag = name.slice(name.lastIndexOf(':') + 1)
  const [{ architecture, configuration, layers }] = images
  const index = {
    schemaVersion: 2,
    mediaType: INDEX,
    manifests: [
      {
        ...top.descriptor,
        ...(images.length === 1 && { platform: { architecture, os: 'linux' } }),
        annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': tag },
      },
    ],
  }
  const docker = [
    {
      Config: configuration.path,
      RepoTags: [name],
      Layers: layers.map(({ blob }) => blob.path),
    },
  ]
  return tarArchive([
    { path: 'blobs/', mode: 0o755 },
    { path: 'blobs/sha256/', mode: 0o755 },
    ...[...blobs, ...manifests].map(({ path, content }) => ({ path, mode: 0o644, content })),
    { path: 'index.json', mode: 0o644, content: json(index) },
    ...(images.length === 1 ? [{ path: 'manifest.json', mode: 0o644, content: json(docker) }] : []),
    { path: 'oci-layout', mode: 0o644, content: json({ imageLayoutVersion: '1.0.0' }) },
  ])
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
