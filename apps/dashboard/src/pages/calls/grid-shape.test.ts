import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { gridShape } from './grid-shape.ts'

const css = readFileSync(new URL('./calls.css', import.meta.url), 'utf8')

/** What the columns of a rule take at least, with the gaps between them and the padding. */
function leastWidth(rule: RegExp, time: number): number {
  const columns = rule.exec(css)?.[1] ?? ''
  const least = [...columns.replaceAll('var(--time)', `${time}px`).matchAll(/(?:minmax\()?(\d+)px/g)]
  return least.reduce((sum, [, px]) => sum + Number(px), 0) + 6 * 10 + 2 * 12
}

const whole = /\.grid-head,\s*\.row \{[^}]*grid-template-columns: ([^;]+);/
const medium = /\.grid\.medium \.row \{\s*grid-template-columns: ([^;]+);/
const times = /--time: (\d+)px/g

test('no column is cut off in a list that is wide enough for its shape', () => {
  const [plain, dated] = [...css.matchAll(times)].map(([, px]) => Number(px))
  for (const [isDated, time] of [
    [false, plain!],
    [true, dated!],
  ] as const)
    for (let width = 300; width < 1400; width++) {
      const shape = gridShape(width, isDated)
      if (shape === ' narrow') continue
      expect(leastWidth(shape === '' ? whole : medium, time), `${shape} at ${width}`).toBeLessThanOrEqual(
        width,
      )
    }
  expect(gridShape(720, true)).toBe(' medium')
  expect(gridShape(390, false)).toBe(' narrow')
  expect(gridShape(1280, true)).toBe('')
})
