import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { rootManifest } from './release/sources.mjs'

/**
 * `npm run release:verify` packs the release twice, with two builds, and compares each checksum. Then it installs the npm package
 * into an empty folder, runs it, and prints seconds and megabytes. It leaves the second release in `dist/release`.
 */
const release = join(root, 'dist', 'release')

function main() {
  const first = pack()
  const second = pack()
  if (first !== second) throw new Error(`Two builds differ:\n${differences(first, second)}`)
  say('ok     two builds have the same checksums')
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-release-'))
  try {
    install(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function pack() {
  rmSync(join(root, 'dist', '.stamp'), { force: true })
  execFileSync(process.execPath, [join(root, 'scripts', 'release-pack.mjs')], { stdio: ['ignore', 2, 2] })
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: release, stdio: ['ignore', 2, 2] })
  return readFileSync(join(release, 'SHA256SUMS'), 'utf8')
}

function differences(first, second) {
  const before = new Set(first.split('\n'))
  return second
    .split('\n')
    .filter((line) => !before.has(line))
    .join('\n')
}

function install(folder) {
  const { version } = rootManifest
  const file = join(release, `tapdeck-${version}.tgz`)
  const run = (title, command, ...args) => {
    const started = performance.now()
    const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] }
    const output = execFileSync(command, args, options)
    say(`ok     ${title} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
    return output
  }
  // Nothing may be built at the installation: scripts of packages are not run.
  run(
    'npm install of the package in an empty folder',
    'npm',
    'install',
    '--ignore-scripts',
    '--no-audit',
    file,
  )
  const bytes = sizeOf(join(folder, 'node_modules'))
  say(`       ${megabytes(statSync(file).size)} packed, ${megabytes(bytes)} installed`)
  const shown = run('npx tapdeck --version', 'npx', 'tapdeck', '--version').trim()
  if (shown !== `tapdeck ${version}`)
    throw new Error(`The installed version is ${shown}, expected is ${version}.`)
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

try {
  main()
} catch (error) {
  say(error.message)
  process.exitCode = 1
}
