import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { lockedPackages } from '../release/sources.mjs'
import { NPM_CPU } from './platforms.mjs'
import { registryPackage } from './registry-package.mjs'

/** Not needed to run: types, sources of native parts, maps, documentation, and builds for musl. Licenses stay. */
const LEFT_OUT = /\.(d\.[cm]?ts|map|md|markdown|tsx?|cc|cpp|c|h|hh|cmake|S|asm)$|\/(doc|test)\/|\/musl_/i
const LICENSE = /licen[cs]e|copying|notice/i

/**
 * The npm packages that stay outside the bundles, with their dependencies, as files for one platform. Parts for one platform
 * come from node_modules where that is this machine's, else from the registry.
 *
 * @returns {{path: string, mode: number, content: Buffer, source: string}[]} `source` is the file on this machine
 */
export function productionPackages(root, names, { os = 'linux', architecture }) {
  const entries = []
  const seen = new Set()
  const platform = `-${os}-${NPM_CPU[architecture]}`
  const visit = (name) => {
    if (seen.has(name)) return
    seen.add(name)
    const folder = join(root, 'node_modules', name)
    if (!existsSync(folder)) throw new Error(`${name} is not installed. Run npm install.`)
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    )
    entries.push(...filesOf(folder, `node_modules/${name}`))
    for (const dependency of Object.keys(dependencies)) visit(dependency)
    for (const dependency of Object.keys(optionalDependencies).filter((one) => one.endsWith(platform)))
      entries.push(...filesOf(folderOfPart(root, dependency), `node_modules/${dependency}`))
  }
  for (const name of names) visit(name)
  return entries
}

function folderOfPart(root, name) {
  const folder = join(root, 'node_modules', name)
  if (existsSync(folder)) return folder
  const { version, integrity } = lockedPackages[`node_modules/${name}`]
  return registryPackage(name, version, integrity)
}

function filesOf(folder, target) {
  const entries = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const source = join(entry.parentPath, entry.name)
    const within = relative(folder, source)
    if (within.startsWith('node_modules') || !entry.isFile()) continue
    if (LEFT_OUT.test(`/${within}`) && !LICENSE.test(entry.name)) continue
    const mode = statSync(source).mode & 0o111 ? 0o755 : 0o644
    entries.push({ path: `${target}/${within}`, mode, content: readFileSync(source), source })
  }
  return entries
}
