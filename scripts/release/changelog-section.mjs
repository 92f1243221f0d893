/** The notes of a version: its section of the changelog, without the heading. Undefined: it has none. */
export function changelogSection(changelog, version) {
  const sections = changelog.split(/^(?=## )/m)
  const section = sections.find((one) => one.startsWith('## ') && /^## (\S+)/.exec(one)[1] === version)
  if (section === undefined) return undefined
  const [heading, ...lines] = section.split('\n')
  return { date: /\((.*)\)/.exec(heading)?.[1], text: lines.join('\n').trim() }
}
