import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { plainSize, readPlainFile } from './plain-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-plain-'))
const path = join(folder, 'file')
afterAll(() => rmSync(folder, { recursive: true }))

test('what is packed, empty or no file is not for several to read', () => {
  const content = Buffer.from('some bytes')
  writeFileSync(path, content)
  expect(plainSize(path)).toBe(10)
  for (const other of [gzipSync(content), Buffer.of(0x28, 0xb5, 0x2f, 0xfd), Buffer.alloc(0)]) {
    writeFileSync(path, other)
    expect(plainSize(path)).toBeUndefined()
  }
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect([plainSize(pipe), plainSize(folder)]).toEqual([undefined, undefined])
  expect(() => plainSize(join(folder, 'nothing'))).toThrow('ENOENT')
})

test('a file is read up to a size, also while it grows or has become shorter, in chunks that last', async () => {
  const content = Buffer.alloc(2_500_000, 'seven b')
  content.writeUInt32LE(7, 2_400_000)
  writeFileSync(path, content)
  const chunks: Uint8Array[] = []
  for await (const chunk of readPlainFile(path, content.length)) {
    chunks.push(chunk)
    appendFileSync(path, 'more')
  }
  expect(Buffer.concat(chunks).equals(content)).toBe(true)
  expect(new Set(chunks.map(({ buffer }) => buffer)).size).toBe(chunks.length)
  let bytes = 0
  writeFileSync(path, 'short')
  for await (const chunk of readPlainFile(path, 100)) bytes += chunk.length
  expect(bytes).toBe(5)
})

test('chunks may be read one over the other, to a place that is asked for each time', async () => {
  const content = Buffer.alloc(300_000, 'eleven byte')
  writeFileSync(path, content)
  const stage = new Uint8Array(70_001)
  const parts: Uint8Array[] = []
  let asked = 0
  const takeStage = () => {
    asked++
    return stage
  }
  for await (const chunk of readPlainFile(path, content.length, takeStage)) {
    expect(chunk.buffer).toBe(stage.buffer)
    parts.push(chunk.slice())
  }
  expect(Buffer.concat(parts).equals(content)).toBe(true)
  expect([asked, parts.length]).toEqual([5, 5])
})
