import { expect, test } from 'vitest'
import { columnsOf, firstChoice, moved, readChoice, resized, toggled, withField } from './column-choice.ts'

const ids = (chosen: readonly { readonly id: string }[]) => chosen.map(({ id }) => id).join(' ')

test('a hidden column comes back at its place', () => {
  const without = toggled(firstChoice, 'method')
  expect(ids(without)).toBe('time proto path status peers latency')
  expect(ids(toggled(without, 'method'))).toBe(ids(firstChoice))
})

test('the last column stays', () => {
  const only = [{ id: 'path' }]
  expect(toggled(only, 'path')).toEqual(only)
})

test('columns move by one place, and not past an end', () => {
  expect(ids(moved(firstChoice, 'time', 1))).toBe('proto time method path status peers latency')
  expect(moved(firstChoice, 'time', -1)).toEqual(firstChoice)
  expect(moved(firstChoice, 'latency', 1)).toEqual(firstChoice)
})

test('a field becomes a column once, and shows its value', () => {
  const chosen = withField(firstChoice, 'src.ns', 'src.ns')
  expect(withField(chosen, 'src.ns', 'src.ns')).toBe(chosen)
  const column = columnsOf(chosen).at(-1)
  expect([column?.title, column?.asks]).toEqual(['src.ns', 'src.ns'])
  const header = columnsOf([{ id: 'request.headers["Host"]', path: 'request.headers.Host' }])
  expect(header[0]?.asks).toBe('request.headers')
  const call = { id: 'a' } as Parameters<NonNullable<typeof column>['render']>[0]
  expect(column?.render(call, (id, path) => `${id} ${path}`)).toBe('a src.ns')
  expect(column?.render(call, () => ({ deep: [1] }))).toBe('{"deep":[1]}')
})

test('a width is kept within bounds, and given back', () => {
  const narrow = resized(firstChoice, 'path', 3)
  expect(narrow.find(({ id }) => id === 'path')).toEqual({ id: 'path', width: 40 })
  expect(columnsOf(narrow).find(({ id }) => id === 'path')?.wide).toEqual({ least: 40 })
  expect(resized(narrow, 'path', undefined)).toEqual(firstChoice)
})

test('what a browser has stored is read back; anything else is refused', () => {
  const chosen = resized(withField(firstChoice, 'src.ns', 'src.ns'), 'src.ns', 90)
  expect(readChoice(JSON.parse(JSON.stringify(chosen)))).toEqual(chosen)
  expect(readChoice([])).toBeUndefined()
  expect(readChoice('time')).toBeUndefined()
  expect(readChoice([{ id: 'time' }, { id: 'time' }])).toBeUndefined()
  expect(readChoice([{ id: 'nonsense' }, { id: 'time' }])).toEqual([{ id: 'time' }])
})
