import { describe, expect, it } from 'vitest'
import { cutText, rememberedStatement, rememberStatement, statementText } from './statement-text.ts'

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
  it('is remembered by its very bytes', () => {
    const bytes = new TextEncoder().encode('insert into t values ($1)')
    expect(rememberedStatement(bytes)).toBeUndefined()
    rememberStatement(bytes)
    expect(rememberedStatement(bytes)).toEqual({ verb: 'INSERT', text: 'insert into t values ($1)' })
    expect(rememberedStatement(bytes.slice())).toBeUndefined()
  })

  it('is not where it is long', () => {
    const bytes = new Uint8Array(5000).fill(0x20)
    rememberStatement(bytes)
    expect(rememberedStatement(bytes)).toBeUndefined()
  })
})
