import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { expect, test } from 'vitest'
import { prompts } from './prompts.ts'
import { toolNames } from './tools.ts'

const catalog = createCatalog(protocols)

test.each(prompts)('$name names tools that there are, and filters that work', (prompt) => {
  const given = Object.fromEntries(prompt.arguments.map(({ name }) => [name, 'x']))
  const text = prompt.write(given)
  const tools =
    text.match(/\b(?:get|list|create|start|diff|check|export|find|search|explain|capture)_[a-z0-9_]+\b/g) ??
    []
  expect(tools.length).toBeGreaterThan(0)
  for (const tool of tools) expect(toolNames).toContain(tool)
  const filters = (text.match(/`[^`]+`/g) ?? [])
    .map((one) => one.slice(1, -1))
    .filter((one) => / [<>=]/.test(one))
  for (const filter of filters) expect(() => compile(filter, catalog), filter).not.toThrow()
})
