import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importCycles } from './import-cycles.ts'

/**
 * THE table of who may use whom. `ours` are packages of this repository, `others` come from the registry. `calm`
 * packages turn bytes into values: no clock, no timers, no I/O, so of Node.js itself they use next to nothing.
 */
const table: Readonly<Record<string, { ours: string[]; others: string[]; calm?: true }>> = {
  spelling: { ours: [], others: [], calm: true },
  ip: { ours: [], others: [], calm: true },
  units: { ours: [], others: [], calm: true },
  tls: { ours: [], others: [], calm: true },
  suspects: { ours: [], others: [], calm: true },
  wire: { ours: ['ip'], others: [], calm: true },
  dissect: { ours: ['ip', 'tls', 'wire'], others: [], calm: true },
  kfl: { ours: ['ip', 'spelling', 'units'], others: [], calm: true },
  bpf: { ours: ['ip', 'spelling'], others: [], calm: true },
  inventory: { ours: ['ip'], others: [], calm: true },
  config: { ours: ['bpf', 'spelling', 'units'], others: ['yaml', 'zod'], calm: true },
  'own-ports': { ours: ['units'], others: [] },
  objects: { ours: ['own-ports', 'units'], others: ['@aws-sdk/client-s3', '@aws-sdk/s3-request-presigner'] },
  recording: { ours: ['objects', 'wire'], others: ['koffi'] },
  pipeline: { ours: ['dissect', 'wire'], others: [], calm: true },
  parallel: { ours: ['dissect', 'wire'], others: [] },
  redact: { ours: ['dissect', 'kfl'], others: [], calm: true },
  questions: { ours: ['dissect', 'kfl'], others: ['zod'], calm: true },
  index: {
    ours: ['dissect', 'kfl', 'own-ports', 'questions', 'units', 'wire'],
    others: ['@clickhouse/client', '@duckdb/node-api'],
  },
  api: { ours: ['dissect', 'questions', 'units'], others: ['zod'], calm: true },
}
const packages = Object.keys(table)

/**
 * Folders of a package or app from the top layer to the lowest. A folder imports from its own layer and from those below.
 * Files outside of folders are free: they either wire everything together or serve all (log, version).
 */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'packages/dissect': [
    ['conformance'],
    ['ndjson'],
    ['call'],
    ['engine'],
    ['protocols'],
    ['shape'],
    ['content', 'sql', 'compression'],
    ['pack'],
    ['message'],
    ['contract'],
    ['json'],
    ['bytes'],
    ['memory', 'text'],
    ['accelerated'],
  ],
  'apps/hub': [
    ['modules'],
    ['http', 'mcp'],
    ['operations'],
    ['agents', 'packets', 'telemetry'],
    ['recordings'],
    ['dissections', 'export', 'live'],
    ['snapshots'],
    ['events', 'query', 'switch'],
    ['cluster', 'kubernetes'],
    ['access', 'input'],
    ['state'],
  ],
  'apps/worker': [
    ['link'],
    ['live', 'rewind', 'upload'],
    ['keys'],
    ['os', 'limits'],
    ['capture'],
    ['blocks', 'threads'],
  ],
  'apps/cli': [
    ['commands'],
    ['extcap'],
    ['attach', 'capture', 'completion', 'demo', 'export', 'mcp', 'operations'],
    ['dissect', 'hub', 'parts', 'tokens'],
    ['kubernetes'],
    ['output'],
    ['arguments'],
  ],
  'apps/dashboard': [
    ['pages'],
    ['timeline'],
    ['hints', 'keep'],
    ['address', 'columns', 'docs', 'kfl'],
    ['ui'],
    ['format', 'live', 'protocols'],
    ['client', 'time'],
  ],
}
const dashboardMayUse = ['api', 'kfl', 'units', 'wire']
/** Of Node.js, pure computation only: unpacking, and hashes. */
const calmModules = ['node:crypto', 'node:zlib']
/** Takes types of another package, never its code. */
const typesOnly: Readonly<Record<string, string>> = { api: 'dissect', questions: 'dissect' }

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

const workspaces = ['packages', 'apps'].flatMap((kind) =>
  readdirSync(join(root, kind)).map((name) => ({ kind, name, folder: join(kind, name) })),
)

test('the table names every package, and only those', () => {
  expect(workspaces.filter(({ kind }) => kind === 'packages').map(({ name }) => name)).toEqual(
    packages.toSorted(),
  )
})

describe.each(workspaces)('$folder', ({ kind, name, folder }) => {
  const manifest = readManifest(folder)
  const declared = Object.keys(manifest.dependencies ?? {})
  const ours = declared.filter(isOurs).map((one) => one.slice('@tapdeck/'.length))
  const imports = importsOf(folder)

  test('depends only on what the table allows', () => {
    expect(manifest.name).toBe(`@tapdeck/${name}`)
    if (kind === 'packages') {
      expect(table[name]!.ours).toEqual(expect.arrayContaining(ours))
      expect(table[name]!.others).toEqual(expect.arrayContaining(declared.filter((one) => !isOurs(one))))
    } else expect(name === 'dashboard' ? dashboardMayUse : packages).toEqual(expect.arrayContaining(ours))
  })

  test('imports only what it declares', () => {
    const undeclared = imports.filter(({ from, inTest }) => {
      const owner = packageOf(from)
      return isBare(from) && !declared.includes(owner) && !(inTest && testTools.includes(owner))
    })
    expect(undeclared).toEqual([])
  })

  test('relative imports stay inside the package, and imports of other packages are exported', () => {
    const reaching = imports.filter(({ file, from }) => {
      if (from.startsWith('.')) return relative(folder, join(dirname(file), from)).startsWith('..')
      return isOurs(from) && !exportsOf(packageOf(from)).includes(from)
    })
    expect(reaching).toEqual([])
  })

  test('has no import cycle, types included', () => {
    expect(importCycles(imports)).toEqual([])
  })

  const order = layers[folder]
  if (order !== undefined)
    test('imports downwards between its folders', () => {
      const own = imports.filter(({ from, inTest }) => from.startsWith('.') && !inTest)
      const upward = own.filter(({ file, from }) => {
        const to = layerOf(order, folder, join(dirname(file), from))
        return to !== undefined && to < (layerOf(order, folder, file) ?? -1)
      })
      expect(upward.map(({ file, from }) => `${file} imports ${from}`)).toEqual([])
      expect(order.flat().toSorted()).toEqual(foldersIn(folder))
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
      inTest: /\.test\.tsx?$/.test(file) || /\/(testing|conformance)\/|\/testing-/.test(file),
    })),
  )
}

/** The layer of a file; undefined where it is in no folder, or only in one for tests. */
function layerOf(order: readonly (readonly string[])[], folder: string, file: string): number | undefined {
  const [first = ''] = relative(join(folder, 'src'), file).split('/')
  const layer = order.findIndex((names) => names.includes(first))
  return layer < 0 ? undefined : layer
}

function foldersIn(folder: string): string[] {
  return readdirSync(join(root, folder, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'testing')
    .map(({ name }) => name)
    .toSorted()
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file))
}

function exportsOf(name: string): string[] {
  const room = workspaces.find(({ folder }) => readManifest(folder).name === name)
  const paths = room ? Object.keys(readManifest(room.folder).exports ?? {}) : []
  return paths.map((path) => name + path.slice(1))
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
}

function isOurs(specifier: string): boolean {
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
