import { expect, test } from 'vitest'
import { collectedSecrets, secretsVersion } from './exported-secrets.ts'

const line = (at: number) => `CLIENT_RANDOM ${at.toString(16).padStart(64, '0')} ${'ab'.repeat(48)}`
const keys = (lines: Readonly<Record<string, readonly string[]>>) => ({
  read: async (_snapshot: string, node: string) => lines[node]?.map((one) => ({ line: one, source: 'node' })),
})

test('the secrets of the chosen nodes become one key log, each line once', async () => {
  const store = keys({ a: [line(1), line(2)], b: [line(2), `${line(3)}\n`], c: [line(4)] })
  const blocks = await collectedSecrets(store, 's', ['a', 'b', 'none'])
  expect(blocks.map(String)).toEqual([`${line(1)}\n${line(2)}\n${line(3)}\n`])
})

test('many secrets are divided into blocks, and no line is cut', async () => {
  const lines = Array.from({ length: 12_000 }, (_, at) => line(at))
  const blocks = await collectedSecrets(keys({ a: lines }), 's', ['a'])
  expect(blocks.length).toBeGreaterThan(1)
  for (const block of blocks) expect(block.length).toBeLessThanOrEqual(1024 * 1024)
  expect(Buffer.concat(blocks).equals(Buffer.from(lines.map((one) => `${one}\n`).join('')))).toBe(true)
})

test('where nothing was collected, nothing is added, and the version says what is exported', async () => {
  expect(await collectedSecrets(keys({}), 's', ['a'])).toEqual([])
  const some = [Buffer.from(line(1))]
  const versions = [
    { keepsImported: true, added: [] },
    { keepsImported: false, added: [] },
    { keepsImported: true, added: some },
  ].map(secretsVersion)
  expect(new Set(versions).size).toBe(3)
})
