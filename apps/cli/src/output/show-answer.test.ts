import { expect, test } from 'vitest'
import { showAnswer } from './show-answer.ts'
import type { Terminal } from './terminal.ts'

test('a table leaves out later columns before it cuts the texts of the first ones', async () => {
  let shown = ''
  const terminal: Partial<Terminal> = {
    width: 110,
    out: (text) => {
      shown += text
      return Promise.resolve()
    },
  }
  const what = 'http calls from checkout to inventory fail'
  const impact = '24 % of calls fail: 312 of 1,300'
  const suspects = [
    {
      rank: 1,
      kind: 'failing',
      severity: 'high',
      what,
      impact: { text: impact, lost: 312 },
      client: 'checkout',
    },
  ]
  await showAnswer(terminal as Terminal, { suspects }, { utc: true })
  expect(shown).toContain(what)
  expect(shown).toContain(impact)
  expect(shown).not.toContain('CLIENT')
})
