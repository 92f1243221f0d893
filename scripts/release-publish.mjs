import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { checkRelease } from './release/check-release.mjs'
import { publicNames } from './release/public-names.mjs'
import { publishSteps } from './release/publish-steps.mjs'
import { rootManifest } from './release/sources.mjs'

const usage = `npm run release:publish -- ${Object.keys(publishSteps).join('|')}

Publishes one part of dist/release, which npm run release:pack has written.`
const folder = join(root, 'dist', 'release')

async function main() {
  const step = publishSteps[process.argv[2]]
  if (step === undefined || process.argv.length > 3) throw new Error(usage)
  const { version } = rootManifest
  checkRelease(`v${version}`)
  if (!existsSync(join(folder, 'SHA256SUMS')))
    throw new Error('There is no dist/release. Run npm run release:pack.')
  await step({ folder, version, names: publicNames, run, note: say })
}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (error) throw new Error(`${command} cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ended with status ${status}.`)
}

await main().catch((error) => {
  say(error.message)
  process.exitCode = 1
})
