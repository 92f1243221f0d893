import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Written, writerOf } from './writer-of.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-writer-'))
const file = join(folder, 'out')
afterAll(() => rmSync(folder, { recursive: true }))

/** As Node.js writes to a file: at once. */
function streamTo(fd: number): Written {
  return {
    fd,
    write(text, done) {
      writeSync(fd, Buffer.from(text))
      done()
    },
    emit: () => undefined,
  }
}

test('text and bytes are in a file in their order, behind what was there', async () => {
  writeFileSync(file, 'before ')
  const fd = openSync(file, 'a')
  const out = writerOf(streamTo(fd), 2)
  for (const part of ['one ', Buffer.from('two '), 'three ', new Uint8Array(0), Buffer.from('four')])
    await out(part)
  closeSync(fd)
  expect(readFileSync(file, 'utf8')).toBe('before one two three four')
})

test('bytes for a file, all of them, do not go through its stream', async () => {
  const fd = openSync(file, 'w')
  const refuse = () => {
    throw new Error('the stream of a file waits')
  }
  const bytes = Buffer.alloc(3 << 20, 'x')
  await writerOf({ ...streamTo(fd), write: refuse }, 2)(bytes)
  closeSync(fd)
  expect(readFileSync(file).equals(bytes)).toBe(true)
})

test('a failed write is an error of the stream', async () => {
  writeFileSync(file, '')
  const fd = openSync(file, 'r')
  const error = await new Promise((resolve) => {
    void writerOf({ ...streamTo(fd), emit: (_, error) => resolve(error) }, 2)(Buffer.from('no'))
  })
  closeSync(fd)
  expect(error).toMatchObject({ code: 'EBADF' })
})

test('what is no file is written by the stream, and all of it where there is but one core', async () => {
  const fd = openSync(file, 'w')
  const parts: unknown[] = []
  const stream: Written = {
    ...streamTo(-1),
    write(text, done) {
      parts.push(text)
      done()
    },
  }
  const bytes = Buffer.from('two')
  await writerOf(stream, 2)('one')
  await writerOf(stream, 2)(bytes)
  await writerOf({ ...stream, fd }, 1)(bytes)
  closeSync(fd)
  expect(parts).toEqual(['one', bytes, bytes])
})
