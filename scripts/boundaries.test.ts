import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/**
 * THE table of who may use whom. `house` are packages of this repository, `others` come from the registry. `calm`
 * packages turn bytes into values: no clock, no timers, no I/O, so of Node.js itself they use next to nothing.
 */
const table: Readonly<Record<string, { house: string[]; others: string[]; calm?: true }>> = {
  spelling: { house: [], others: [], calm: true },
  wire: { house: [], others: [], calm: true },
  dissect: { house: ['wire'], others: [], calm: true },
  kfl: { house: ['spelling'], others: [], calm: true },
  bpf: { house: ['spelling'], others: [], calm: true },
  inventory: { house: [], others: [], calm: true },
  config: { house: ['bpf', 'spelling'], others: ['yaml', 'zod'], calm: true },
  recording: { house: ['wire'], others: [] },
  parallel: { house: ['dissect', 'wire'], others: [] },
  redact: { house: ['dissect', 'kfl'], others: [], calm: true },
  index: { house: ['dissect', 'kfl', 'wire'], others: ['@duckdb/node-api'] },
  api: { house: ['dissect'], others: ['zod'], calm: true },
}
const packages = Object.keys(table)
const dashboardMayUse = ['api', 'kfl']
/** Of Node.js, pure computation only: unpacking, and hashes. */
const calmModules = ['node:crypto', 'node:zlib']
/** Takes types of another package, never its code. */
const typesOnly: Readonly<Record<string, string>> = { api: 'dissect' }

const root = resolve(import.meta.dirname, '..')
const testTools = Object.keys(readManifest('.').devDependencies ?? {})

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
}

interface Import {
  readonly file: string
  readonly from: string
  readonly typesOnly: boolean
  readonly inTest: boolean
}

const rooms = ['packages', 'apps'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => ({ kind, name, folder: join(kind, name) })),
)

test('the table names every package, and only those', () => {
  expect(rooms.filter(({ kind }) => kind === 'packages').map(({ name }) => name)).toEqual(packages.toSorted())
})

describe.each(rooms)('$folder', ({ kind, name, folder }) => {
  const manifest = readManifest(folder)
  const declared = Object.keys(manifest.dependencies ?? {})
  const house = declared.filter(isHouse).map((one) => one.slice('@tapdeck/'.length))
  const imports = importsOf(folder)

  test('depends on nobody beyond the table', () => {
    expect(manifest.name).toBe(`@tapdeck/${name}`)
    if (kind === 'packages') {
      expect(table[name]!.house).toEqual(expect.arrayContaining(house))
      expect(table[name]!.others).toEqual(expect.arrayContaining(declared.filter((one) => !isHouse(one))))
    } else expect(name === 'dashboard' ? dashboardMayUse : packages).toEqual(expect.arrayContaining(house))
  })

  test('imports only what it declares', () => {
    const strangers = imports.filter(({ from, inTest }) => {
      const owner = packageOf(from)
      return isBare(from) && !declared.includes(owner) && !(inTest && testTools.includes(owner))
    })
    expect(strangers).toEqual([])
  })

  test('reaches into nobody: relative imports stay inside, deep ones are exported', () => {
    const reaching = imports.filter(({ file, from }) => {
      if (from.startsWith('.')) return relative(folder, join(dirname(file), from)).startsWith('..')
      return isHouse(from) && !exportsOf(packageOf(from)).includes(from)
    })
    expect(reaching).toEqual([])
  })

  if (table[name]?.calm)
    test('uses no clock, no timer and no I/O of Node.js', () => {
      const modules = imports.filter(({ from, inTest }) => from.startsWith('node:') && !inTest)
      expect(modules.filter(({ from }) => !calmModules.includes(from))).toEqual([])
    })

  if (typesOnly[name])
    test(`takes only types of ${typesOnly[name]}`, () => {
      const code = imports.filter((one) => one.from === `@tapdeck/${typesOnly[name]}` && !one.typesOnly)
      expect(code).toEqual([])
    })
})

function importsOf(folder: string): Import[] {
  const statement =
    /^\s*(import|export)(\s+type)?\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm
  return sources(join(folder, 'src')).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(statement)].map((match) => ({
      file,
      from: (match[3] ?? match[4] ?? match[5])!,
      typesOnly: match[2] !== undefined,
      inTest: /\.test\.tsx?$/.test(file) || /\/(testing|conformance)\//.test(file),
    })),
  )
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file))
}

function exportsOf(name: string): string[] {
  const room = rooms.find(({ folder }) => readManifest(folder).name === name)
  const paths = room ? Object.keys(readManifest(room.folder).exports ?? {}) : []
  return paths.map((path) => name + path.slice(1))
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

function isHouse(specifier: string): boolean {
  return specifier.startsWith('@tapdeck/')
}

function isBare(specifier: string): boolean {
  return !specifier.startsWith('.') && !specifier.startsWith('node:')
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
