import { describe, expect, it } from 'vitest'
import { cutText, statementText } from './statement-text.ts'

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
