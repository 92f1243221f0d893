import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { firstLoadKb, pageWeight } from './page-weight.mjs'

const imports = (kind: string, ...paths: string[]) => paths.map((path) => ({ path, kind }))

/** A page whose entry imports one chunk, and opens a view with another when it is asked for. */
function bundle(chunkBytes: number) {
  const outputs = {
    'dist/main-AAAAAAAA.js': {
      entryPoint: 'main.tsx',
      cssBundle: 'dist/main-BBBBBBBB.css',
      imports: [
        ...imports('import-statement', 'dist/chunk-CCCCCCCC.js'),
        ...imports('dynamic-import', 'dist/map-DDDDDDDD.js'),
      ],
    },
    'dist/main-BBBBBBBB.css': { imports: [] },
    'dist/chunk-CCCCCCCC.js': { imports: imports('import-statement', 'dist/main-AAAAAAAA.js') },
    'dist/map-DDDDDDDD.js': { imports: imports('import-statement', 'dist/chunk-CCCCCCCC.js') },
  }
  const outputFiles = Object.keys(outputs).map((path) => ({
    path: `/checkout/${path}`,
    contents: randomBytes(path.includes('chunk') ? chunkBytes : 1024),
  }))
  return { metafile: { outputs }, outputFiles }
}

test('the first load is what the entry imports, with its styles; views that are opened later are not in it', () => {
  const files = pageWeight(bundle(10_000), 'main.tsx')
  expect(files.map(({ name, isFirst }) => [name, isFirst])).toEqual([
    ['chunk-CCCCCCCC.js', true],
    expect.arrayContaining([true]),
    expect.arrayContaining([true]),
    ['map-DDDDDDDD.js', false],
  ])
  expect(firstLoadKb(files)).toBe(12)
})

test('a first load of more than 350 KB is refused', () => {
  const files = pageWeight(bundle(360 * 1024), 'main.tsx')
  expect(() => firstLoadKb(files)).toThrow('The first load of the page is 362 KB gzipped; at most 350 KB')
})
