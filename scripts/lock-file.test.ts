import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

interface Locked {
  readonly version?: string
  readonly link?: true
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: true
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const text = readFileSync(resolve(import.meta.dirname, '..', 'package-lock.json'), 'utf8')
const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, Locked>> }

test('the lock file names no registry: users install from their own', () => {
  const resolved = Object.entries(packages).filter(([, one]) => one.resolved !== undefined && !one.link)
  expect(resolved).toEqual([])
})

test('the lock file knows the packages of every platform (npm run lock adds them)', () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  )
  expect(missing).toEqual([])
})

test('what the product runs on is there for every platform: a package without a checksum was not in the registry', () => {
  const absent = Object.entries(packages).filter(
    ([path, { dev, link, integrity }]) => path.startsWith('node_modules/') && !dev && !link && !integrity,
  )
  expect(absent.map(([path]) => path)).toEqual([])
})

test('versions of direct dependencies are exact', () => {
  const manifest = JSON.parse(readFileSync(resolve(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>
  }
  expect(
    Object.entries(manifest.devDependencies).filter(
      ([, version]) => !/^(?:npm:@?[\w./-]+@)?\d/.test(version),
    ),
  ).toEqual([])
})
