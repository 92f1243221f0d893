import { describe, expect, test } from 'vitest'
import { createSealingKey, openRecords, sealRecord } from './sealing.ts'

const key = createSealingKey()
const keys = new Map([[key.id, key.key]])
const texts = (bytes: Buffer, known = keys) => openRecords(bytes, known).records.map(String)

describe('sealed records', () => {
  const file = Buffer.concat(['one', 'two', 'three'].map((text) => sealRecord(key, Buffer.from(text))))

  test('open with their key only, and hide what they hold', () => {
    expect(texts(file)).toEqual(['one', 'two', 'three'])
    expect(file.includes('three')).toBe(false)
    expect(openRecords(file, new Map())).toEqual({ records: [], locked: 3, damaged: 0 })
    const wrong = openRecords(file, new Map([[key.id, createSealingKey().key]]))
    expect(wrong.records).toEqual([])
    expect(wrong.damaged).toBeGreaterThan(0)
  })

  test('are sealed by several keys in one file after a rotation', () => {
    const next = createSealingKey()
    const both = Buffer.concat([file, sealRecord(next, Buffer.from('four'))])
    expect(openRecords(both, keys)).toMatchObject({ locked: 1, damaged: 0 })
    expect(texts(both, new Map([...keys, [next.id, next.key]]))).toEqual(['one', 'two', 'three', 'four'])
  })

  test('are read up to a torn write, wherever it is', () => {
    const last = file.length - sealRecord(key, Buffer.from('three')).length
    for (let length = last + 1; length < file.length; length++) {
      const opened = openRecords(file.subarray(0, length), keys)
      expect([opened.records.map(String), opened.damaged]).toEqual([['one', 'two'], 1])
    }
    const torn = Buffer.concat([file.subarray(0, file.length - 5), file])
    expect(texts(torn)).toEqual(['one', 'two', 'one', 'two', 'three'])
  })

  test('do not open after any change of a byte, and cost no other record', () => {
    const length = sealRecord(key, Buffer.from('one')).length
    for (let at = 0; at < length; at++) {
      const changed = Buffer.from(file)
      changed[at] = changed[at]! ^ 1
      const opened = texts(changed)
      expect(opened).not.toContain('one')
      expect(opened).toContain('three')
    }
  })
})
