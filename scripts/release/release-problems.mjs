import { changelogSection } from './changelog-section.mjs'
import { placeholders } from './public-names.mjs'

/**
 * Why this cannot be released under a tag. Empty: it can.
 *
 * @param {{tag: string, version: string, names: object, changelog: string, isChanged: boolean}} release
 */
export function releaseProblems({ tag, version, names, changelog, isChanged }) {
  const problems = []
  const open = placeholders(names)
  if (open.length > 0)
    problems.push(`scripts/release.json has placeholders: ${open.join(', ')}. Fill them in.`)
  if (tag !== `v${version}`)
    problems.push(
      `The tag is ${tag}, and the version is ${version}. Run npm run set-version, or tag v${version}.`,
    )
  const date = changelogSection(changelog, version)?.date
  if (!/^\d{4}-\d\d-\d\d$/.test(date ?? ''))
    problems.push(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)".`)
  if (isChanged) problems.push('Files differ from the commit. Commit them, or take the changes back.')
  return problems
}
