import { expect, test } from 'vitest'
import { sqlLayout } from './sql-layout.ts'

test('each clause of a statement is on a line of its own', () => {
  expect(
    sqlLayout(
      "select a, count(*) from orders left join items on items.id = orders.id where a = 'from  here' and b in (select 1 from c) order by a limit 5",
    ),
  ).toBe(
    [
      'select a, count(*)',
      'from orders',
      'left join items',
      'on items.id = orders.id',
      "where a = 'from  here'",
      '  and b in (select 1 from c)',
      'order by a',
      'limit 5',
    ].join('\n'),
  )
})

test('statements of several lines, comments and quoted names keep their text', () => {
  expect(sqlLayout('insert into "order from" values (1); -- done where\nselect `a b`')).toBe(
    'insert into "order from"\nvalues (1);\n-- done where\nselect `a b`',
  )
  expect(sqlLayout('delete from a')).toBe('delete from a')
  expect(sqlLayout('')).toBe('')
})

test('nothing but white space changes, whatever the text is', () => {
  const bare = (text: string) => text.replaceAll(/\s+/g, '')
  for (const text of ["select 'unclosed from", '/* open', '((((', 'a -- b', "x'y''z", '/***/ select 1'])
    expect(bare(sqlLayout(text))).toBe(bare(text))
})

test('a long statement of open quotes and comments is laid out in one pass', () => {
  for (const piece of ["'", '/*', '"', '/**', 'from ', '(', "\\'"]) {
    const text = piece.repeat(30_000).slice(0, 60_000)
    expect(sqlLayout(text).length).toBeGreaterThan(0)
  }
})
