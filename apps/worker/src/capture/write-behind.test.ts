import {
  fstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WriteBehind } from './write-behind.ts'

const MIB = 1 << 20

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function file(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, name)
  return path
}

interface Call {
  readonly inode: number
  readonly from: number
  readonly length: number
}

/** Each call ends at once, or when `finish` is called. */
function recorder(finish?: (() => void)[], ringBytes = 1024 * MIB) {
  const calls: Call[] = []
  const behind = new WriteBehind((fd, from, length, done) => {
    calls.push({ inode: fstatSync(fd).ino, from, length })
    if (finish) finish.push(done)
    else done()
  }, ringBytes)
  return { calls, behind }
}

/** The calls for a file of so many MiB, written 1 MiB at a time. */
function write(behind: WriteBehind, path: string, mebibytes: number): void {
  for (let at = 1; at <= mebibytes; at++) behind.wrote(path, at * MIB)
}

test('written bytes are flushed in parts, and dropped from the cache 256 MiB later, even if the file was renamed', () => {
  const { calls, behind } = recorder()
  const first = file('first')
  write(behind, first, 60)
  renameSync(first, join(folder, 'other'))
  expect(calls.map(({ from, length }) => [from / MIB, length / MIB])).toEqual(
    [0, 8, 16, 24, 32, 40, 48].map((from) => [from, 8]),
  )
  for (let at = 0; at < 5; at++) write(behind, file(`more${at}`), 60)
  const of = calls.filter(({ inode }) => inode === calls[0]!.inode)
  expect(of.length).toBeGreaterThan(8)
  const twice = of.reduce((sum, { length }) => sum + length, 0)
  expect(twice).toBe(2 * 60 * MIB)
  behind.close()
})

test('a slow disk gets no further calls until it has caught up', () => {
  const finish: (() => void)[] = []
  const { calls, behind } = recorder(finish)
  const path = file('slow')
  write(behind, path, 800)
  expect(calls).toHaveLength(2)
  for (const done of finish) done()
  for (let at = 801; at <= 808; at++) behind.wrote(path, at * MIB)
  expect(calls.length).toBeGreaterThan(2)
  expect(calls[2]).toMatchObject({ from: 800 * MIB, length: 8 * MIB })
  behind.close()
})

test('a file is closed when its bytes are dropped', () => {
  const { behind } = recorder()
  for (let at = 0; at < 8; at++) write(behind, file(`one${at}`), 64)
  expect(openFiles().length).toBeLessThan(7)
  behind.close()
  expect(openFiles()).toEqual([])
})

test('with little traffic, no more than eight finished files are open', () => {
  const { calls, behind } = recorder()
  const paths = Array.from({ length: 40 }, (_, at) => file(`small${at}`))
  for (const path of paths) behind.wrote(path, 1000)
  // Those and the file that is written now.
  expect(openFiles()).toEqual(paths.slice(-9).sort())
  const inode = statSync(paths[0]!).ino
  expect(calls.filter((call) => call.inode === inode)).toHaveLength(2)
  behind.close()
  expect(openFiles()).toEqual([])
})

test('files that a small ring has deleted are not kept open', () => {
  const { behind } = recorder(undefined, 8 * MIB)
  const paths = Array.from({ length: 16 }, (_, at) => file(`one${at}`))
  for (const path of paths) write(behind, path, 1)
  expect(openFiles()).toEqual(paths.slice(-5).sort())
  behind.close()
})

test('a deleted file is closed at once, also after it was renamed', () => {
  const { behind } = recorder()
  const paths = Array.from({ length: 4 }, (_, at) => file(`gone${at}`))
  for (const path of paths) write(behind, path, 20)
  renameSync(paths[1]!, join(folder, 'closed'))
  rmSync(join(folder, 'closed'))
  behind.deleted(paths[1]!)
  expect(openFiles()).toEqual([paths[0], paths[2], paths[3]])
  // The one that was written last: nothing was written after it.
  rmSync(paths[3]!)
  behind.deleted(paths[3]!)
  expect(openFiles()).toEqual([paths[0], paths[2]])
  behind.close()
  expect(openFiles()).toEqual([])
})

test('a file stays open until the last call on it has ended', () => {
  const finish: (() => void)[] = []
  const { behind } = recorder(finish)
  const paths = Array.from({ length: 20 }, (_, at) => file(`busy${at}`))
  for (const path of paths) behind.wrote(path, 1000)
  expect(finish).toHaveLength(2)
  expect(openFiles()).toEqual(expect.arrayContaining(paths.slice(0, 2)))
  for (const done of finish) done()
  expect(openFiles()).toEqual(paths.slice(-9).sort())
  behind.close()
})

function openFiles(): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd))
    } catch {
      // The descriptor with which the folder was listed.
      return ''
    }
  })
  return links.filter((path) => path.startsWith(folder)).sort()
}

test('a deleted file is skipped', () => {
  const { calls, behind } = recorder()
  write(behind, join(folder, 'nothing'), 20)
  expect(calls).toEqual([])
  behind.close()
})
