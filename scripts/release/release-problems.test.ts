import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { changelogSection } from './changelog-section.mjs'
import { releaseProblems } from './release-problems.mjs'

const changelog = '# Changelog\n\n## 1.2.10 (2026-02-01)\n\nNew.\n\n## 1.2.1 (2026-01-01)\n\nOld.\n'
const release = {
  tag: 'v1.2.10',
  version: '1.2.10',
  names: { repository: 'https://code.example/team/tapdeck', image: 'registry.example/team/tapdeck' },
  changelog,
  isChanged: false,
}

it('a version with names, a tag, notes and a clean checkout can be released', () => {
  expect(releaseProblems(release)).toEqual([])
})

it.each([
  [
    'names that are placeholders',
    { names: { image: 'registry.example/OWNER/tapdeck' } },
    'placeholders: image',
  ],
  ['another tag', { tag: 'v1.2.9' }, 'The tag is v1.2.9'],
  ['no notes', { changelog: '# Changelog\n' }, 'CHANGELOG.md has no section'],
  ['notes without a date', { changelog: '## 1.2.10 (unreleased)\n' }, 'CHANGELOG.md has no section'],
  ['changed files', { isChanged: true }, 'Files differ from the commit'],
])('%s are refused, with the reason', (_title, change, reason) => {
  const problems = releaseProblems({ ...release, ...change })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(reason)
})

it('the notes of a version are its section alone', () => {
  expect(changelogSection(changelog, '1.2.1')).toEqual({ date: '2026-01-01', text: 'Old.' })
  expect(changelogSection(changelog, '1.2.10')).toEqual({ date: '2026-02-01', text: 'New.' })
})

it('names and addresses of this project are in scripts/release.json, and no other script or manifest names a registry', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const names: Record<string, string> = JSON.parse(readFileSync(`${root}/scripts/release.json`, 'utf8'))
  const host = new RegExp(`\\b(${['ghcr', 'docker', 'quay', 'gcr'].join('|')})\\.io\\b|registry\\.npmjs`)
  const files = execFileSync(
    'git',
    ['ls-files', 'scripts', 'deploy', '.github', 'apps', 'packages', '*.json'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  const naming = files
    .trim()
    .split('\n')
    .filter((file) => /\.(mjs|ts|json|ya?ml)$|Containerfile/.test(file) && !file.endsWith('.golden.json'))
    .filter((file) => host.test(readFileSync(`${root}/${file}`, 'utf8')))
  expect(naming).toEqual(['scripts/release.json'])
  expect(Object.values(names).every((name) => name !== '')).toBe(true)
})
