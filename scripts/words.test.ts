import { expect, test } from 'vitest'
import { slowWords, wordFolders } from './slow-words.mjs'
import recorded from './words.json' with { type: 'json' }

const counts: Readonly<Record<string, number>> = recorded

/** To lower the counts after you removed some: `npm run words`. */
test.each(wordFolders())('%s has no more slow words than recorded', (folder) => {
  const findings = slowWords(folder)
  const allowed = counts[folder] ?? 0
  expect(findings.length > allowed ? findings : [], `${findings.length} found, ${allowed} recorded`).toEqual(
    [],
  )
})
