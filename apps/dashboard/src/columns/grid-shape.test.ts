import { expect, test } from 'vitest'
import { columnsOf, firstChoice, resized, withField } from './column-choice.ts'
import { gridShape, gridTracks, leastWidth } from './grid-shape.ts'
import { columns } from './index.ts'

test('the built-in columns fit into every list of one line', () => {
  for (const day of ['none', 'day', 'year'] as const)
    for (let width = 300; width < 1400; width++) {
      const shape = gridShape(columns, width, day)
      if (shape === 'wide') expect(leastWidth(columns, shape, day)).toBeLessThanOrEqual(width)
    }
  expect(leastWidth(columns, 'medium', 'none')).toBeLessThanOrEqual(684)
  expect(gridShape(columns, 720, 'day')).toBe('medium')
  expect(gridShape(columns, 390, 'none')).toBe('narrow')
  expect(gridShape(columns, 1280, 'day')).toBe('wide')
  expect(gridTracks(columns, 'wide', 'year')).toMatch(/^174px /)
})

test('many columns are scrolled to; they do not turn a wide list into one of two lines', () => {
  const many = columnsOf(
    ['a', 'b', 'c', 'd'].reduce((chosen, name) => withField(chosen, name, name), firstChoice),
  )
  expect(gridShape(many, 1000, 'none')).toBe('medium')
  expect(leastWidth(many, 'medium', 'none')).toBeGreaterThan(684)
})

test('columns share what is left; a width that the user set stays', () => {
  expect(gridTracks(columns, 'wide', 'day')).toBe(
    '138px 76px 82px minmax(120px, 1.3fr) 104px minmax(190px, 1fr) 76px',
  )
  const fixed = columnsOf(resized(firstChoice, 'path', 300))
  expect(gridTracks(fixed, 'medium', 'none')).toBe('104px 62px 58px 300px 84px minmax(170px, 1fr) 62px')
})
