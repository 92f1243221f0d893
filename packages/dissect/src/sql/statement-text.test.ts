import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../bytes/byte-writer.ts'
import { writePath } from '../message/placed-summary.ts'
import { cutText, statementText, summaryOf } from './statement-text.ts'

describe('the text of a statement', () => {
  const text = new TextEncoder().encode('select "ä🧀"')

  it('is UTF-8', () => expect(statementText(text)).toBe('select "ä🧀"'))

  it('is cut between characters', () => {
    const cuts = [8, 9, 10, 11, 12, 13, 14, 15].map((ceiling) =>
      statementText(text.subarray(0, cutText(text, 0, text.length, ceiling))),
    )
    expect(cuts).toEqual([
      'select "',
      'select "',
      'select "ä',
      'select "ä',
      'select "ä',
      'select "ä',
      'select "ä🧀',
      'select "ä🧀"',
    ])
  })
})

describe('a statement that is executed again', () => {
  it('decodes its text and verb once', () => {
    const bytes = new TextEncoder().encode('insert into t values ($1)')
    const succeeded = summaryOf(bytes)?.succeeded
    expect(succeeded).toMatchObject({ method: 'INSERT', path: 'insert into t values ($1)', status: 'ok' })
    const writer = new ByteWriter()
    if (succeeded !== undefined) writePath(succeeded, writer)
    expect(writer.written()).toEqual(bytes)
  })

  it('has no summary without a verb', () => {
    expect(summaryOf(Uint8Array.of(0x2e, 0xff))?.succeeded).toBeUndefined()
  })

  it('is not cached when it is long', () => {
    expect(summaryOf(new Uint8Array(5000).fill(0x20))).toBeUndefined()
  })
})
