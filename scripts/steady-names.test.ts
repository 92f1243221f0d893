import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { steadyNames } from './steady-names.mjs'

/** The bundle of a module of the repository, and of a dependency that it imports a name from. */
async function bundled(ours: string, theirs = ''): Promise<string> {
  const modules: Record<string, string> = { 'packages/ours.js': ours, 'node_modules/theirs.js': theirs }
  const { outputFiles } = await build({
    stdin: { contents: "import './packages/ours.js'", resolveDir: '/' },
    bundle: true,
    format: 'esm',
    write: false,
    absWorkingDir: '/',
    plugins: [
      {
        name: 'modules',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /\.js$/ }, ({ path }) => ({ path: path.replace('./', '/'), namespace: 'file' }))
          onLoad({ filter: /\.js$/ }, ({ path }) => ({ contents: modules[path.slice(1)] ?? '' }))
        },
      },
      steadyNames,
    ],
  })
  return outputFiles[0]?.text ?? ''
}

test('what is never given another value is a constant in the bundle', async () => {
  const text = await bundled(
    'const SIZE = 8; const { log, table: show } = console; class Thing {} log(SIZE); show(new Thing())',
  )
  expect(text).toContain('const SIZE = 8')
  expect(text).toContain('const { log, table: show } = console')
  expect(text).toContain('const Thing = class')
})

test('what is given another value stays a variable, however it is', async () => {
  const text = await bundled(
    'let a = 1; let b = 2; let c = 3; let { d, e } = {}; function f(){ a = 5; [b] = [6]; c++; for (d of []); } f(); console.log(a, b, c, d, e)',
  )
  for (const name of ['a', 'b', 'c']) expect(text).toContain(`var ${name} = `)
  expect(text).toContain('var { d, e } = ')
})

test('a name inside a function does not stand for that of the module', async () => {
  const text = await bundled('const a = 1; function f(){ let a = 2; a++; return a } console.log(a, f())')
  expect(text).toContain('const a = 1')
})

test('lines of a text are left as they are', async () => {
  const text = await bundled('console.log(`first\nvar a = 1;\nvar b = 2;`); const b = 3; console.log(b)')
  expect(text).toContain('\nvar a = 1;\nvar b = 2;')
})

test('modules of others are left as they are', async () => {
  const text = await bundled(
    "import { theirs } from '/node_modules/theirs.js'; console.log(theirs)",
    'export const theirs = [1]',
  )
  expect(text).toContain('var theirs = [1]')
})
