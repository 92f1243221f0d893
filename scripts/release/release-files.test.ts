import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readYaml } from '@tapdeck/config'
import { expect, it } from 'vitest'
import { billOfMaterials } from './bill-of-materials.mjs'
import { chartPackage, plainManifests } from './chart-package.mjs'
import { homebrewFormula } from './homebrew-formula.mjs'
import { krewManifest } from './krew-manifest.mjs'
import { mcpServerEntry } from './mcp-server-entry.mjs'
import { packageManifest } from './package-manifest.mjs'
import { pluginFiles } from './plugin-files.mjs'
import { provenance } from './provenance.mjs'
import { downloadAddress, publicLinks, publicNames } from './public-names.mjs'
import { runtimePackages } from './runtime-packages.mjs'

const root = resolve(import.meta.dirname, '..', '..')
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const { version, description: summary, license, ...manifest } = readJson('package.json')
const locked = readJson('package-lock.json').packages

it('the chart installs the published image, and is otherwise the chart of the checkout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-chart-test-'))
  try {
    writeFileSync(join(folder, 'chart.tgz'), chartPackage())
    execFileSync('tar', ['-xzf', 'chart.tgz'], { cwd: folder })
    const packed = (path: string) => readFileSync(join(folder, 'tapdeck', path), 'utf8')
    const own = (path: string) => readFileSync(join(root, 'deploy/helm/tapdeck', path), 'utf8')
    expect(readYaml('values.yaml', packed('values.yaml'))).toMatchObject({
      image: { repository: publicNames.image },
    })
    expect(packed('Chart.yaml')).toContain(`home: ${publicNames.repository}\n`)
    for (const path of ['templates/hub.yaml', 'templates/tests/hub.yaml', 'values.schema.json'])
      expect(packed(path)).toBe(own(path))
    expect(plainManifests().toString()).toContain(`image: ${publicNames.image}:${version}\n`)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('krew and Homebrew load files of this release, by their checksums', () => {
  const archives = [
    { fileName: 'a.tar.gz', sha256: 'aa', os: 'linux', architecture: 'amd64' },
    { fileName: 'b.tar.gz', sha256: 'bb', os: 'darwin', architecture: 'arm64' },
  ]
  expect(readYaml('krew', krewManifest({ version, summary, archives }))).toMatchObject({
    kind: 'Plugin',
    metadata: { name: 'tapdeck' },
    spec: {
      version: `v${version}`,
      platforms: [
        {
          selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
          uri: downloadAddress(version, 'a.tar.gz'),
          sha256: 'aa',
          bin: 'tapdeck/tapdeck',
        },
        { selector: { matchLabels: { os: 'darwin', arch: 'arm64' } }, sha256: 'bb' },
      ],
    },
  })
  const formula = homebrewFormula({ version, summary, license, fileName: 'p.tgz', sha256: 'cc' })
  expect(formula).toContain(`url "${downloadAddress(version, 'p.tgz')}"\n  sha256 "cc"`)
})

it('the entry of the MCP registry belongs to the npm package, as the registry checks it', () => {
  const entry = mcpServerEntry()
  const { name, mcpName } = packageManifest()
  expect(entry).toMatchObject({ name: mcpName, version, packages: [{ identifier: name, version }] })
  expect(entry.description.length).toBeLessThanOrEqual(100)
})

it('the plugin has all skills, and starts the MCP server of its version', () => {
  const files = new Map(pluginFiles().map(({ path, content }) => [path, content.toString()]))
  const skills = [...files.keys()].filter((path) => path.endsWith('/SKILL.md'))
  expect(skills.sort()).toEqual(
    ['investigate-incident', 'rewind', 'write-kfl'].map((name) => `skills/${name}/SKILL.md`),
  )
  const { args } = JSON.parse(files.get('.mcp.json')!).mcpServers.tapdeck
  expect(args).toContain(`${publicNames.npm}@${version}`)
})

it('the bill of materials lists what the product consists of, with checksums, and no tools', () => {
  const bill = billOfMaterials()
  const versions = new Map(bill.components.map((one) => [one.name, one]))
  for (const name of ['koffi', 'react', 'zod', '@aws-sdk/client-s3', 'node'])
    expect(versions.has(name)).toBe(true)
  for (const name of ['vitest', 'typescript', 'esbuild']) expect(versions.has(name)).toBe(false)
  const koffi = versions.get('koffi')!.hashes![0]!
  expect(`sha512-${Buffer.from(koffi.content, 'hex').toString('base64')}`).toBe(
    locked['node_modules/koffi'].integrity,
  )
  const refs = bill.components.map((one) => one['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  const used = new Set(bill.dependencies.flatMap(({ dependsOn }) => dependsOn))
  expect([...used].filter((ref) => !refs.includes(ref))).toEqual([])
  expect(billOfMaterials()).toEqual(bill)
})

it('of two versions of a package, each dependent has the one that Node.js would load', () => {
  const found = runtimePackages({
    'apps/one': { dependencies: { a: '1', b: '1' } },
    'node_modules/a': { version: '1', dependencies: { b: '2' } },
    'node_modules/a/node_modules/b': { version: '2' },
    'node_modules/b': { version: '1', optionalDependencies: { absent: '1' } },
    'node_modules/tool': { version: '1' },
  })
  expect(found.map(({ path, dependencies }) => [path, dependencies])).toEqual([
    ['node_modules/a', ['node_modules/a/node_modules/b']],
    ['node_modules/a/node_modules/b', []],
    ['node_modules/b', []],
  ])
})

it('the provenance names every file and the image by checksum, and what they were made from', () => {
  const statement = provenance([{ path: 'tapdeck.tgz', sha256: 'aa' }], 'sha256:bb')
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [
      { name: 'tapdeck.tgz', digest: { sha256: 'aa' } },
      { name: publicNames.image, digest: { sha256: 'bb' } },
    ],
  })
  const sources = statement.predicate.buildDefinition.resolvedDependencies.map(({ uri }) => uri)
  expect(sources).toContain('package-lock.json')
  expect(sources.filter((uri) => uri.startsWith('pkg:npm/node-linux-'))).toHaveLength(2)
})

it('the manifest of the repository has the addresses of scripts/release.json (npm run set-version)', () => {
  expect(manifest).toMatchObject(publicLinks())
})

it('the code owners are the maintainers of scripts/release.json', () => {
  expect(readFileSync(join(root, '.github', 'CODEOWNERS'), 'utf8')).toContain(
    `\n* ${publicNames.maintainers}\n`,
  )
})
