import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { placeholders } from './release/public-names.mjs'

/** `npm run release:pack`: everything that a release has, in `dist/release`. It publishes nothing and needs no container engine. */
const folder = join(root, 'dist', 'release')

async function main() {
  await ensureInstalled()
  const { ensureBuilt } = await import('./build.mjs')
  await ensureBuilt()
  const { releaseFiles } = await import('./release/release-files.mjs')
  rmSync(folder, { recursive: true, force: true })
  for (const { path, content } of releaseFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
    if (!path.startsWith('plugin/')) say(`${(content.length / 1e6).toFixed(1).padStart(7)} MB  ${path}`)
  }
  const open = placeholders()
  if (open.length > 0)
    say(
      `scripts/release.json has placeholders (${open.join(', ')}): these files are for trying, not for a release.`,
    )
}

await main().catch((error) => {
  say(error.message)
  process.exitCode = 1
})
