import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checkout.mjs'
import { publicNames } from './public-names.mjs'
import { releaseProblems } from './release-problems.mjs'
import { isChanged, rootManifest } from './sources.mjs'

/** Throws with all reasons why this checkout cannot be released under a tag. */
export function checkRelease(tag) {
  const problems = releaseProblems({
    tag,
    version: rootManifest.version,
    names: publicNames,
    changelog: readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    isChanged: isChanged(),
  })
  if (problems.length > 0) throw new Error(['This is not a release:', ...problems].join('\n- '))
}
