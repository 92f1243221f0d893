import { expect, test } from 'vitest'
import { nodeFileName } from './node-file-name.ts'

test('plain names stay readable', () => {
  expect(nodeFileName('ip-10-0-0-1.ec2.internal', '.pcapng')).toBe('ip-10-0-0-1.ec2.internal.pcapng')
})

test('no name leaves its folder, hides, or meets another', () => {
  const names = [
    'a/b',
    'a~2fb',
    '..',
    '.',
    '',
    'A',
    'a',
    'ä',
    '\0',
    `${'x'.repeat(300)}1`,
    `${'x'.repeat(300)}2`,
  ]
  const files = names.map((name) => nodeFileName(name, '.pcapng'))
  for (const file of files) expect(file).toMatch(/^[a-z0-9_~-][a-z0-9_.~-]{0,250}$/)
  expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(names.length)
})
