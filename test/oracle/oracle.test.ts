import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ownCaptures, publicCaptures } from './captures.ts'
import { ownDifferences, publicDifferences } from './differences.ts'
import { type Explained, judge } from './explained.ts'
import { type Finding, survey } from './survey.ts'
import { checkedTable, differencesTable } from './table.ts'
import { TSHARK, tsharkVersion } from './tshark.ts'

const page = fileURLToPath(new URL('../../docs/protocols-checked.md', import.meta.url))
const version = await tsharkVersion()
// Another version knows other fields and has other faults: the list would have to be another one.
const usable = version === TSHARK
const why =
  version === undefined ? 'no tshark is installed' : `tshark is ${version}, the list is for ${TSHARK}`

describe.skipIf(!usable)(`tshark and we say the same${usable ? '' : ` (${why})`}`, () => {
  check('own', 'of our own captures', ownCaptures, ownDifferences)
  describe.skipIf(publicCaptures.length === 0)('where captures of other projects lie beside', () => {
    check('public', "of other projects' captures", publicCaptures, publicDifferences)
  })
})

function check(
  part: string,
  title: string,
  captures: typeof ownCaptures,
  differences: readonly Explained[],
): void {
  describe(title, () => {
    let findings: readonly Finding[] = []

    it('is compared', { timeout: 600_000 }, async () => {
      findings = await survey(captures)
      expect(findings.length).toBeGreaterThan(captures.length / 2)
    })

    it('differs nowhere but where that is explained', () => {
      expect(judge(findings, differences).unexplained).toEqual([])
    })

    it('explains nothing that does not occur', () => {
      expect(judge(findings, differences).outdated).toEqual([])
    })

    it('is as stated in docs/protocols-checked.md', () => {
      const told = `${checkedTable(findings, differences)}\n\n${differencesTable(differences)}`
      process.stdout.write(`${checkedTable(findings, differences)}\n`)
      const text = existsSync(page) ? readFileSync(page, 'utf8') : ''
      const marks = [`<!-- ${part} -->\n`, `\n<!-- end of ${part} -->`]
      const begin = text.indexOf(marks[0]) + marks[0].length
      const end = text.indexOf(marks[1])
      if (process.env.UPDATE_GOLDEN === '1')
        writeFileSync(page, `${text.slice(0, begin)}${told}${text.slice(end)}`)
      else expect(text.slice(begin, end)).toBe(told)
    })
  })
}
