import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { createRedactor } from '@tapdeck/redact'
import { expect, it } from 'vitest'
import type { CallSource } from './call-source.ts'
import { redactedSource } from './redacted-source.ts'

const rules = {
  headers: [],
  query: ['token'],
  json: [],
  sqlLiterals: false,
  detect: [],
  patterns: [],
  bodies: false,
}

it('values that match only by what is redacted are not suggested, so that no guess is confirmed', async () => {
  const paths = ['/orders?token=abcdef', '/orders?page=2']
  const source = {
    node: 'n1',
    ask: async (_: string, { prefix }: { prefix: string }) => ({
      values: paths.filter((path) => path.includes(prefix)).map((value) => ({ value, calls: 1 })),
    }),
  } as unknown as CallSource
  const shown = redactedSource(source, createRedactor(rules)!, createCatalog(protocols), () => 0)
  const suggested = async (prefix: string) => {
    const { values } = await shown.ask('values', { field: 'path', prefix, kfl: '', limit: 10 })
    return values.map(({ value }) => String(value))
  }
  expect(await suggested('/orders?')).toHaveLength(2)
  expect((await suggested('/orders?')).join()).not.toContain('abcdef')
  expect(await suggested('token=abc')).toEqual([])
  expect(await suggested('page=2')).toEqual(['/orders?page=2'])
})
