import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { sampleProtocols } from './testing/index.ts'

const page = readFileSync(new URL('../../../docs/kfl.md', import.meta.url), 'utf8')
const catalog = createCatalog(sampleProtocols)
const examples = [...page.matchAll(/```kfl\n([^`]*)```/g)].flatMap(([, block]) => block.trim().split('\n'))

describe('the page about the language', () => {
  test('has examples', () => {
    expect(examples.length).toBeGreaterThan(30)
  })

  test.each(examples)('shows a filter that compiles: %s', (example) => {
    expect(() => compile(example, catalog, 0)).not.toThrow()
  })
})
