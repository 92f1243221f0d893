import { renameSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { parsePlatforms, thisArchitecture } from './image/platforms.mjs'

const usage = `npm run image [-- --platform linux/amd64,linux/arm64] [--output FILE | --push REGISTRY/NAME:TAG | --folder [FOLDER]]

Writes dist/image.tar, an OCI image that ctr, docker load, podman load and skopeo take. It needs no container engine.
  --platform  Default: that of this machine. With several, the name leads to an index of them.
  --push      Pushes the image to a registry instead, with the credentials of ~/.docker/config.json.
  --folder    Writes the files of the image to a folder instead, for deploy/Containerfile. Default: dist/image`

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
const options = {
  platform: { type: 'string' },
  output: { type: 'string' },
  push: { type: 'string' },
  folder: { type: 'boolean' },
  help: { type: 'boolean' },
}

async function main() {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) return say(usage)
  if (positionals.length > (values.folder ? 1 : 0)) throw new Error(usage)
  const architectures = values.platform ? parsePlatforms(values.platform) : [thisArchitecture()]
  await ensureInstalled()
  const { ensureBuilt } = await import('./build.mjs')
  await ensureBuilt()
  if (values.folder) return writeFolder(resolve(positionals[0] ?? join(root, 'dist', 'image')), architectures)
  const { buildImage } = await import('./image/build-image.mjs')
  const image = buildImage(architectures)
  for (const { architecture, manifest, layers } of image.images) {
    for (const { title, bytes, packed } of layers)
      say(`${title.padEnd(9)} ${megabytes(packed).padStart(9)}  (${megabytes(bytes)} unpacked)`)
    say(`linux/${architecture} ${manifest.descriptor.digest}`)
  }
  if (values.push) await push(values.push, image)
  else await writeArchive(resolve(values.output ?? join(root, 'dist', 'image.tar')), image)
}

async function push(to, image) {
  const { pushImage } = await import('./image/push-image.mjs')
  const { digest, pushed, known } = await pushImage(to, image)
  say(`${to} ${digest}: pushed ${pushed} blobs, ${known} were there`)
}

async function writeArchive(output, image) {
  const { ociArchive } = await import('./image/oci-image.mjs')
  const { rootManifest } = await import('./release/sources.mjs')
  const name = `localhost/tapdeck:${rootManifest.version}`
  writeFileSync(`${output}.new`, ociArchive(name, image))
  renameSync(`${output}.new`, output)
  say(`${name} ${image.top.descriptor.digest}`)
  say(`${relative(process.cwd(), output) || output}: ${megabytes(statSync(output).size)}`)
}

async function writeFolder(folder, architectures) {
  if (architectures.length > 1) throw new Error('--folder takes one platform.')
  const { imageLayers } = await import('./image/image-layers.mjs')
  const { writeFolder } = await import('./image/write-folder.mjs')
  writeFolder(folder, imageLayers(architectures[0]))
  say(`Wrote ${relative(process.cwd(), folder) || folder}`)
}

await main().catch((error) => {
  say(error.message)
  process.exitCode = 1
})
