import { renameSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

const usage = `npm run image [-- --arch amd64|arm64] [--output FILE]

Writes dist/image.tar (dist/image-ARCH.tar for another architecture than this machine's), an OCI image that ctr, docker load,
podman load and skopeo take. It needs no container engine.`

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

async function main() {
  const { values } = parseArgs({
    options: { arch: { type: 'string' }, output: { type: 'string' }, help: { type: 'boolean' } },
  })
  if (values.help) return say(usage)
  await ensureInstalled()
  const { ensureBuilt } = await import('./build.mjs')
  await ensureBuilt()
  const { buildImage, thisArchitecture } = await import('./image/build-image.mjs')
  const architecture = values.arch ?? thisArchitecture()
  const image = buildImage(architecture)
  const fileName = architecture === thisArchitecture() ? 'image.tar' : `image-${architecture}.tar`
  const output = values.output ?? join(root, 'dist', fileName)
  writeFileSync(`${output}.new`, image.archive)
  renameSync(`${output}.new`, output)
  for (const { title, bytes, packed } of image.layers)
    say(`${title.padEnd(9)} ${megabytes(packed).padStart(9)}  (${megabytes(bytes)} unpacked)`)
  say(`${image.name} linux/${architecture} ${image.digest}`)
  say(`${relative(process.cwd(), output) || output}: ${megabytes(statSync(output).size)}`)
}

await main().catch((error) => {
  say(error.message)
  process.exitCode = 1
})
