import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compiled, moduleOf, watSources } from './wat.mjs'

test('the code of each source is what it says (npm run wasm writes it)', async () => {
  const sources = watSources()
  expect(sources).not.toEqual([])
  for (const source of sources) expect(readFileSync(moduleOf(source), 'utf8')).toBe(await compiled(source))
})
