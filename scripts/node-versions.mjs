import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { installNode } from './install-node.mjs'
import { add, finish, nothing, run, runVitest } from './suites.mjs'

/**
 * `npm run node-versions`: the start and a quick suite on the supported versions of Node.js other than the one that runs this.
 * Their binaries come from npm and are kept in `.cache/node`. Arguments choose versions: `npm run node-versions -- 24`.
 */
const supported = ['20', '22', '24'].filter((version) => !process.version.startsWith(`v${version}.`))
/** What touches Node.js most: streams, zlib, files, native packages, HTTP. */
const quickSuite = [
  'packages/wire/',
  'packages/recording/',
  'packages/index/',
  'apps/hub/src/http/',
  'apps/worker/',
]
/** The checks of the contract, which are kept beside the checkout on some machines. */
const seedCheck = join(root, '..', 'shared', 'checks', 'seed.mjs')

await ensureInstalled()
const { ensureBuilt } = await import('./build.mjs')
await ensureBuilt()
const chosen = process.argv.slice(2)
let total = nothing
for (const version of chosen.length > 0 ? chosen : supported) total = add(total, await testOn(version))
finish(total)

async function testOn(version) {
  const node = await installNode(version)
  if (node === undefined) return { ...nothing, failed: 1 }
  // What the tests start by name is this Node.js too.
  const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  const on = (title) => `${title} on Node.js ${version}`
  const counts = [
    await runVitest(on('start'), 'vitest.integration.config.ts', { env, node, words: ['scripts/start.'] }),
    await runVitest(on('quick suite'), 'vitest.config.ts', { env, node, words: quickSuite }),
    await seedCounts(on('seed check'), node, env),
  ]
  return counts.reduce(add, nothing)
}

/** The check waits for seconds, which a busy machine may not keep: it is tried again, and each failure is printed. */
async function seedCounts(title, node, env, triesLeft = 2) {
  if (!existsSync(seedCheck)) return nothing
  const { status, output, seconds } = await run(node, [seedCheck], { env, quiet: true })
  const line = output.trimEnd().split('\n').at(-1)
  let counts
  try {
    const { passed, failed } = JSON.parse(line)
    counts = { passed, failed: failed === 0 && status !== 0 ? 1 : failed, skipped: 0 }
  } catch {
    counts = { ...nothing, failed: 1 }
  }
  say(`${counts.failed === 0 ? 'ok    ' : 'FAILED'} ${title} (${seconds} s)`)
  if (counts.failed > 0) say(output.trimEnd())
  return counts.failed > 0 && triesLeft > 0 ? seedCounts(title, node, env, triesLeft - 1) : counts
}
