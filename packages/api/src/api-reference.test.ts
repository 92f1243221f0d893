import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { apiReference } from './api-reference.ts'
import { operations } from './operations/index.ts'

test('docs/api.md is up to date: `npm run docs` writes it', () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8')
  expect(page).toBe(apiReference())
})

test('every operation is on the page with its address', () => {
  const page = apiReference()
  for (const { method, path, interfaces } of Object.values(operations))
    for (const name of interfaces) expect(page).toContain(`\`${method} /${name}${path}\``)
})
