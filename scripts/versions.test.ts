import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}
const manifestOf = (folder: string) => JSON.parse(read(`${folder}/package.json`)) as Manifest
const { version } = manifestOf('.')
const workspaces = ['packages', 'apps'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => `${kind}/${name}`),
)

test.each(workspaces)(
  '%s has the version of the repository, and so have its dependencies on the others',
  (folder) => {
    const manifest = manifestOf(folder)
    expect(manifest.version).toBe(version)
    const own = Object.entries(manifest.dependencies ?? {}).filter(([name]) => name.startsWith('@tapdeck/'))
    expect(own.filter(([, wanted]) => wanted !== version)).toEqual([])
  },
)

test('the newest section of the changelog is the version of the repository', () => {
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
})

test('the versions of the chart are the version of the repository', () => {
  const chart = read('deploy/helm/tapdeck/Chart.yaml')
  expect([...chart.matchAll(/^(?:version|appVersion): "?([^"\s]+)/gm)].map(([, found]) => found)).toEqual([
    version,
    version,
  ])
})
