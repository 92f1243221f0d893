import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/** How npm names the architectures of images. */
const NPM_CPU = { amd64: 'x64', arm64: 'arm64' }
/** Not needed to run: types, sources of native parts, maps, documentation, and builds for musl. Licenses stay. */
const LEFT_OUT = /\.(d\.[cm]?ts|map|md|markdown|tsx?|cc|cpp|c|h|hh|cmake|S|asm)$|\/(doc|test)\/|\/musl_/i
const LICENSE = /licen[cs]e|copying|notice/i

/**
 * The npm packages that stay outside the bundles, with their dependencies, as files of the image. Parts for one platform come
 * from node_modules where that is this machine's, else from the registry by `npm pack`.
 */
export function productionPackages(root, names, architecture) {
  const entries = []
  const seen = new Set()
  const visit = (name, isOptional) => {
    if (seen.has(name)) return
    seen.add(name)
    const folder = join(root, 'node_modules', name)
    if (!existsSync(folder)) {
      if (isOptional) return
      throw new Error(`${name} is not installed. Run npm install.`)
    }
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder)
    entries.push(...filesOf(folder, `app/node_modules/${name}`))
    for (const dependency of Object.keys(dependencies)) visit(dependency, false)
    for (const [dependency, version] of Object.entries(optionalDependencies)) {
      if (!isFor(dependency, architecture)) continue
      if (existsSync(join(root, 'node_modules', dependency))) visit(dependency, true)
      else entries.push(...filesFromRegistry(dependency, version))
    }
  }
  for (const name of names) visit(name, false)
  return entries
}

/** The Node.js program of npm's own package for another architecture. */
export function nodeFromRegistry(architecture) {
  const name = `node-linux-${NPM_CPU[architecture]}`
  const files = filesFromRegistry(name, process.version.slice(1))
  const program = files.find(({ path }) => path.endsWith('/bin/node'))
  if (!program) throw new Error(`${name}@${process.version.slice(1)} holds no bin/node.`)
  return program.content
}

function isFor(name, architecture) {
  return name.endsWith(`-linux-${NPM_CPU[architecture]}`)
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function filesFromRegistry(name, version) {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-package-'))
  try {
    const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    const file = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], options)
      .trim()
      .split('\n')
      .at(-1)
    execFileSync('tar', ['-xzf', file], options)
    return filesOf(join(folder, 'package'), `app/node_modules/${name}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function filesOf(folder, target) {
  const entries = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const within = relative(folder, path)
    if (within.startsWith('node_modules') || !entry.isFile()) continue
    if (LEFT_OUT.test(`/${within}`) && !LICENSE.test(entry.name)) continue
    const mode = statSync(path).mode & 0o111 ? 0o755 : 0o644
    entries.push({ path: `${target}/${within}`, mode, content: readFileSync(path) })
  }
  return entries
}
