import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenOf } from './token-of.ts'

let folder: string
let file: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-token-'))
  file = join(folder, 'token')
  writeFileSync(file, 'from-file\n')
})
afterAll(() => rmSync(folder, { recursive: true }))

test('a token comes from the options, else from the environment', () => {
  const env = { TAPDECK_TOKEN: 'from-env', TAPDECK_TOKEN_FILE: file }
  expect(tokenOf({ options: { token: 'given' }, env })).toBe('given')
  expect(tokenOf({ options: { 'token-file': file }, env })).toBe('from-file')
  expect(tokenOf({ options: {}, env })).toBe('from-env')
  expect(tokenOf({ options: {}, env: { ...env, TAPDECK_TOKEN: '' } })).toBe('from-file')
  expect(tokenOf({ options: {}, env: {} })).toBeUndefined()
})

test('a file without a token, or none at all, is named', () => {
  const empty = join(folder, 'empty')
  const lines = join(folder, 'lines')
  writeFileSync(empty, '\n')
  writeFileSync(lines, 'a\nb\n')
  const of = (path: string) => () => tokenOf({ options: { 'token-file': path }, env: {} })
  expect(of(empty)).toThrow(`--token-file: there is no token in ${empty}`)
  expect(of(lines)).toThrow('a token is one word')
  expect(of(join(folder, 'nothing'))).toThrow('--token-file: the file cannot be read: ENOENT')
  expect(() => tokenOf({ options: {}, env: { TAPDECK_TOKEN_FILE: folder } })).toThrow('TAPDECK_TOKEN_FILE: ')
  expect(() => tokenOf({ options: { token: 'a', 'token-file': file }, env: {} })).toThrow('give one of them')
})
