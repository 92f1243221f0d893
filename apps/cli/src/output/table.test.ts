import { expect, test } from 'vitest'
import { type Column, formatTable, Table } from './table.ts'

const columns: readonly Column<{ name: string; size: number }>[] = [
  { title: 'NAME', cell: ({ name }) => name, shrinks: true },
  { title: 'SIZE', cell: ({ size }) => size, align: 'right' },
]

test('columns are aligned under their titles', () => {
  const rows = [
    { name: 'a', size: 1 },
    { name: 'longer', size: 12_345 },
  ]
  expect(formatTable(columns, rows, 80)).toBe('NAME     SIZE\na           1\nlonger  12345\n')
})

test('what may shrink is cut where the screen is narrow, and no line is wider', () => {
  const text = formatTable(columns, [{ name: 'x'.repeat(50), size: 1 }], 20)
  expect(text).toBe(`NAME            SIZE\n${'x'.repeat(13)}…     1\n`)
})

test('rows printed later keep the widths of the first', () => {
  const table = new Table(columns, [{ name: 'abcdefghij', size: 1 }], 80)
  expect(table.lines([{ name: 'abcdefghijklmnop', size: 2 }])).toBe('abcdefghi…     2\n')
})

test('control characters of the traffic do not reach the terminal', () => {
  expect(formatTable(columns, [{ name: '\u001b[31mred\n', size: 1 }], 80)).toContain('·[31mred·')
})

test('a column that is rare is left out where no row has anything in it', () => {
  const columns: readonly Column<{ name: string; ns?: string }>[] = [
    { title: 'NAME', cell: (row) => row.name },
    { title: 'NS', cell: (row) => row.ns, isRare: true },
  ]
  expect(formatTable(columns, [{ name: 'cart' }], 80)).toBe('NAME\ncart\n')
  expect(formatTable(columns, [{ name: 'cart' }, { name: 'cart', ns: 'shop' }], 80)).toBe(
    'NAME  NS\ncart  -\ncart  shop\n',
  )
})
