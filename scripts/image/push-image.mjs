import { parseReference } from './image-reference.mjs'
import { RegistryClient } from './registry-client.mjs'
import { registryCredentials } from './registry-credentials.mjs'

/**
 * Pushes an image to a registry: first the blobs that it does not have, then the manifests by digest, at last the name. Until then
 * the name leads to what it led to before.
 *
 * @param {string} to REGISTRY/NAME:TAG
 * @param {ReturnType<typeof import('./oci-image.mjs').ociContent>} content
 */
export async function pushImage(to, { blobs, manifests, top }, env = process.env) {
  const { registry, name, tag } = parseReference(to)
  const client = new RegistryClient({ registry, name, credentials: registryCredentials(registry, env) })
  let pushed = 0
  for (const blob of blobs) {
    if (await client.hasBlob(blob.descriptor)) continue
    await client.putBlob(blob)
    pushed++
  }
  for (const manifest of manifests) await client.putManifest(manifest.descriptor.digest, manifest)
  await client.putManifest(tag, top)
  return { digest: top.descriptor.digest, pushed, known: blobs.length - pushed }
}
