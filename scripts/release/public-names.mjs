import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checkout.mjs'

/** What a name holds in place of the account that it is published under. */
const PLACEHOLDER = /\bOWNER\b/

/** Where a release goes and what it is called there: the only file that names a registry or a repository. */
export const publicNames = JSON.parse(readFileSync(join(root, 'scripts', 'release.json'), 'utf8'))

/** The keys of these names that are not filled in. A real release refuses them. */
export function placeholders(names = publicNames) {
  return Object.keys(names).filter((key) => PLACEHOLDER.test(names[key]))
}

/** What manifests of npm say about the home of the project. */
export function publicLinks({ repository } = publicNames) {
  return {
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git` },
    bugs: { url: `${repository}/issues` },
  }
}

/** Where a file of a release can be downloaded. */
export function downloadAddress(version, fileName, { repository } = publicNames) {
  return `${repository}/releases/download/v${version}/${fileName}`
}
