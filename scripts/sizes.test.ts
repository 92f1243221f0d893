import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { longSignatures } from './long-signatures.ts'

const MAX_LINES = 400
const MAX_PARAMETERS = 6

const root = resolve(import.meta.dirname, '..')
/** Sources that people write and read: tests may be long, and what is generated is not read. */
const sources = ['apps', 'packages', 'scripts', 'bench', 'test'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|mjs)$/.test(file) && !/node_modules|\.(test|e2e|wasm)\.tsx?$/.test(file))
    .filter((file) => folder !== 'test' || !file.startsWith('captures/'))
    .map((file) => ({ path: join(folder, file), text: readFileSync(join(root, folder, file), 'utf8') })),
)

test(`no source file has more than ${MAX_LINES} lines`, () => {
  const long = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  expect(long.filter(({ lines }) => lines > MAX_LINES)).toEqual([])
})

test(`no signature has more than ${MAX_PARAMETERS} parameters, in interfaces too`, () => {
  expect(
    sources.flatMap(({ path, text }) =>
      longSignatures(text, MAX_PARAMETERS).map((signature) => `${path}: ${signature}`),
    ),
  ).toEqual([])
})
