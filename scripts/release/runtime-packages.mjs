/**
 * The packages that the product consists of, by their path in a lock file: what apps and packages of the repository depend on, and
 * what that depends on. Tools for tests and builds are not among them.
 *
 * @param {Readonly<Record<string, object>>} locked `packages` of the lock file
 * @returns {{path: string, name: string, locked: object, dependencies: string[]}[]} in the order of their paths
 */
export function runtimePackages(locked) {
  const found = new Map()
  const visit = (path) => {
    if (found.has(path)) return
    const dependencies = dependenciesOf(locked, path)
    found.set(path, dependencies)
    for (const dependency of dependencies) visit(dependency)
  }
  for (const path of Object.keys(locked)) if (/^(apps|packages)\/[^/]+$/.test(path)) visit(path)
  return [...found]
    .filter(([path]) => path.includes('node_modules/'))
    .map(([path, dependencies]) => ({ path, name: nameOf(path), locked: locked[path], dependencies }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function dependenciesOf(locked, path) {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = locked[path]
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.map((name) => resolve(locked, path, name)).filter((one) => one !== undefined)
}

/** As Node.js looks for it: in the folder of the package, then in those above. Undefined: an optional one that is not there. */
function resolve(locked, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (locked[candidate]) return locked[candidate].link ? locked[candidate].resolved : candidate
    if (folder === '') return undefined
  }
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
