import { closeSync, existsSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { Spool } from './spool.ts'
import { SpoolFile } from './spool-file.ts'

const blocks = Array.from({ length: 300 }, (_, at) => Buffer.from(`${at} ${'äöü €'.repeat(at % 300)}`))

test.each([
  ['in memory', 1 << 30],
  ['in a file', 1 << 16],
])('blocks come back by number in any order, %s', (_, ceiling) => {
  const spool = new Spool(ceiling)
  expect(blocks.map((block) => spool.put(Uint8Array.from(block)))).toEqual(blocks.map((_, at) => at))
  for (const at of [299, 0, 150, 1, 298]) expect(Buffer.from(spool.open(at).bytes)).toEqual(blocks[at])
  expect(blocks.every((block, at) => block.equals(spool.open(at).bytes))).toBe(true)
  expect(spool.spilled > 0).toBe(ceiling === 1 << 16)
  spool.close()
})

test('an empty block is one, too, in the file as well', () => {
  const spool = new Spool(0)
  const numbers = [new Uint8Array(0), Uint8Array.of(1), new Uint8Array(0)].map((block) => spool.put(block))
  expect(numbers.map((number) => spool.open(number).bytes.length)).toEqual([0, 1, 0])
  spool.close()
})

test('what another thread put into the file is found, and memory of what is there is used again', () => {
  const spool = new Spool(0)
  const theirs = new SpoolFile(spool.share()).put(Uint8Array.of(7, 8, 9))
  const own = spool.put(Uint8Array.of(1, 2))
  const foreign = spool.put(theirs)
  const spare = spool.spare()!
  expect(spare).toHaveLength(2)
  spare.fill(0)
  expect([own, foreign, own].map((number) => [...spool.open(number).bytes])).toEqual([
    [1, 2],
    [7, 8, 9],
    [1, 2],
  ])
  spool.close()
})

test('a reader is not shown memory that another block has got since', () => {
  const spool = new Spool(0)
  const numbers = Array.from({ length: 200 }, (_, at) => spool.put(Uint8Array.of(at, at, at, at)))
  const slow = spool.reader()
  const fast = spool.reader()
  const before = slow.get(numbers[0]!)
  for (const [at, number] of numbers.entries()) expect(fast.get(number).words[0]).toBe(at * 0x01010101)
  expect(before.isTrue).toBe(false)
  expect(before.bytes[0]).not.toBe(0)
  expect([...slow.get(numbers[0]!).bytes]).toEqual([0, 0, 0, 0])
  spool.close()
})

test('a block that is asked for again is not read again', () => {
  const spool = new Spool(0)
  const numbers = Array.from({ length: 3 }, (_, at) => spool.put(Uint8Array.of(at)))
  const reader = spool.reader()
  const first = reader.get(numbers[0]!)
  expect(reader.get(numbers[0]!)).toBe(first)
  reader.get(numbers[1]!)
  expect(reader.get(numbers[0]!)).toBe(first)
  spool.close()
})

test.skipIf(!existsSync('/dev/full'))(
  'the error of a full disk names the folder, and how to use another',
  () => {
    const descriptor = openSync('/dev/full', 'r+')
    const file = new SpoolFile({ descriptor, end: new SharedArrayBuffer(8) })
    expect(() => file.put(Uint8Array.of(1))).toThrow(
      `calls cannot wait for their order in ${tmpdir()} (TMPDIR): ENOSPC`,
    )
    closeSync(descriptor)
  },
)
