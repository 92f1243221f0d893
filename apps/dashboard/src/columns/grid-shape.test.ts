import { expect, test } from 'vitest'
import { columnsOf, firstChoice, resized, withField } from './column-choice.ts'
import { gridShape, gridTracks, leastWidth } from './grid-shape.ts'
import { columns } from './index.ts'

test('the built-in columns fit into every list of one line', () => {
  for (const isDated of [false, true])
    for (let width = 300; width < 1400; width++) {
      const shape = gridShape(columns, width, isDated)
      if (shape === 'wide') expect(leastWidth(columns, shape, isDated)).toBeLessThanOrEqual(width)
    }
  expect(leastWidth(columns, 'medium', false)).toBeLessThanOrEqual(684)
  expect(gridShape(columns, 720, true)).toBe('medium')
  expect(gridShape(columns, 390, false)).toBe('narrow')
  expect(gridShape(columns, 1280, true)).toBe('wide')
})

test('many columns are scrolled to; they do not turn a wide list into one of two lines', () => {
  const many = columnsOf(
    ['a', 'b', 'c', 'd'].reduce((chosen, name) => withField(chosen, name, name), firstChoice),
  )
  expect(gridShape(many, 1000, false)).toBe('medium')
  expect(leastWidth(many, 'medium', false)).toBeGreaterThan(684)
})

test('columns share what is left; a width that the user set stays', () => {
  expect(gridTracks(columns, 'wide', true)).toBe(
    '138px 76px 82px minmax(120px, 1.3fr) 104px minmax(190px, 1fr) 76px',
  )
  const fixed = columnsOf(resized(firstChoice, 'path', 300))
  expect(gridTracks(fixed, 'medium', false)).toBe('104px 62px 58px 300px 84px minmax(170px, 1fr) 62px')
})
