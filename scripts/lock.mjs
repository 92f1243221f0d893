import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'

/**
 * Completes the lock file after `npm install`. Packages for other platforms that a registry could not offer at that
 * time are left out by npm, and `npm ci` then refuses the file, or installs nothing on such a platform. What is
 * missing is entered by name and version; npm skips it wherever the platform does not fit.
 */
const file = join(root, 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]

for (const [path, owner] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] || lock.packages[`${path}/node_modules/${name}`]) continue
    lock.packages[`node_modules/${name}`] = entry(name, version, owner)
    say(`Added ${name}@${version}`)
  }
const byPath = ([a], [b]) => a.localeCompare(b, 'en')
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)

/** The platform is read off the name, such as `binding-linux-arm64-musl`. */
function entry(name, version, owner) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-')
  const at = words.findIndex((word) => systems.includes(word))
  const [system, cpu, libc] = at < 0 ? [] : words.slice(at)
  if (cpu === undefined)
    throw new Error(`${name} names no platform: run npm install against a registry that has it`)
  return {
    version,
    cpu: [cpu],
    ...(owner.dev && { dev: true }),
    ...(system === 'linux' && libc && { libc: [libc.startsWith('musl') ? 'musl' : 'glibc'] }),
    license: owner.license,
    optional: true,
    os: [system],
  }
}
