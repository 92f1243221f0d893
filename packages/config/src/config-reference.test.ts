import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configKeys } from './config-keys.ts'
import { configReference } from './config-reference.ts'

test('every key has a meaning and says what it accepts', () => {
  for (const key of configKeys) {
    expect(key.doc, key.path).not.toBe('')
    expect(key.accepts, key.path).not.toContain('undefined')
  }
})

test('docs/configuration.md is up to date (npm run docs writes it)', () => {
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8')
  expect(page).toBe(configReference())
})
