import { readFileSync } from 'node:fs'
import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog, fieldReference } from '@tapdeck/kfl'
import { expect, test } from 'vitest'

const catalog = createCatalog(protocols)

test('docs/kfl-fields.md is up to date: `npm run docs` writes it', () => {
  const page = readFileSync(new URL('../../../../docs/kfl-fields.md', import.meta.url), 'utf8')
  expect(page).toBe(fieldReference(catalog))
})

test('every field has an example that compiles', () => {
  for (const { example } of catalog.fields) expect(() => compile(example, catalog, 0), example).not.toThrow()
})
