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
  expect(formatTable(columns, rows, { width: 80 })).toBe('NAME     SIZE\na           1\nlonger  12345\n')
})

test('columns that shrink are cut on a narrow terminal, and no line is wider', () => {
  const text = formatTable(columns, [{ name: 'x'.repeat(50), size: 1 }], { width: 20 })
  expect(text).toBe(`NAME            SIZE\n${'x'.repeat(13)}…     1\n`)
})

test('rows printed later keep the widths of the first', () => {
  const table = new Table(columns, [{ name: 'abcdefghij', size: 1 }], { width: 80 })
  expect(table.lines([{ name: 'abcdefghijklmnop', size: 2 }])).toBe('abcdefghi…     2\n')
})

test('control characters of the traffic do not reach the terminal', () => {
  expect(formatTable(columns, [{ name: '\u001b[31mred\n', size: 1 }], { width: 80 })).toContain('·[31mred·')
})

test('a column that is rare is left out where no row has anything in it', () => {
  const columns: readonly Column<{ name: string; ns?: string }>[] = [
    { title: 'NAME', cell: (row) => row.name },
    { title: 'NS', cell: (row) => row.ns, isRare: true },
  ]
  expect(formatTable(columns, [{ name: 'cart' }], { width: 80 })).toBe('NAME\ncart\n')
  expect(formatTable(columns, [{ name: 'cart' }, { name: 'cart', ns: 'shop' }], { width: 80 })).toBe(
    'NAME  NS\ncart  -\ncart  shop\n',
  )
})

test('optional columns are left out where the table does not fit, the last first', () => {
  const wide: readonly Column<number>[] = ['ONE', 'TWO', 'THREE', 'FOUR'].map((title, at) => ({
    title,
    cell: () => 'x'.repeat(10),
    ...(at > 1 && { isOptional: true as const }),
  }))
  const line = (count: number) => Array(count).fill('x'.repeat(10)).join('  ')
  expect(formatTable(wide, [1], { width: 46 })).toContain(`${line(4)}\n`)
  expect(formatTable(wide, [1], { width: 45 })).toBe(`ONE         TWO         THREE\n${line(3)}\n`)
  expect(formatTable(wide, [1], { width: 22 })).toContain(`\n${line(2)}\n`)
})

test('optional columns are left out before a name becomes too short to read', () => {
  const named: readonly Column<string>[] = [
    { title: 'NAME', cell: (name) => name, shrinks: true, readableWidth: 16 },
    { title: 'CALLS', cell: () => 'x'.repeat(10) },
    { title: 'BYTES', cell: () => 'y'.repeat(10), isOptional: true },
  ]
  const name = 'checkout.shop.svc'
  const columnsAt = (width: number) => formatTable(named, [name], { width }).split('\n')[1]
  expect(columnsAt(41)).toBe(`${name}  ${'x'.repeat(10)}  ${'y'.repeat(10)}`)
  expect(columnsAt(40)).toBe(`checkout.shop.s…  ${'x'.repeat(10)}  ${'y'.repeat(10)}`)
  expect(columnsAt(39)).toBe(`${name}  ${'x'.repeat(10)}`)
  expect(columnsAt(20)).toBe(`checkou…  ${'x'.repeat(10)}`)
})

test('colours are written only for a terminal that shows them, and do not count as width', () => {
  const toned: readonly Column<number>[] = [
    { title: 'STATUS', cell: (row) => row, tone: (row) => (row >= 500 ? 'bad' : undefined) },
  ]
  expect(formatTable(toned, [200, 500], { width: 80 })).toBe('STATUS\n200\n500\n')
  expect(formatTable(toned, [200, 500], { width: 8, hasColour: true })).toBe(
    '\u001b[1mSTATUS\u001b[0m\n200\n\u001b[31m500\u001b[0m\n',
  )
})
