import { expect, test } from 'vitest'
import { parseInline, plainText } from './inline.ts'
import { type Block, parseMarkdown } from './markdown.ts'

const text = (value: string) => ({ kind: 'text', text: value })
const paragraph = (value: string) => ({ kind: 'paragraph', parts: [text(value)] })

test('headings have the anchors of GitHub, also where two are equal', () => {
  const ids = parseMarkdown('# The `ring`: a, b\n\n## Same\n\n### Same\n').map((block) =>
    block.kind === 'heading' ? [block.level, block.id] : block,
  )
  expect(ids).toEqual([
    [1, 'the-ring-a-b'],
    [2, 'same'],
    [3, 'same-1'],
  ])
})

test('lines of a paragraph are joined; a list, a table and a fence end it', () => {
  const blocks = parseMarkdown(
    'one\ntwo\n- item\n  goes on\n\n  again\n- next\n\nend\n```sh\na | b\n\n# c\n```\n',
  )
  expect(blocks).toEqual([
    paragraph('one two'),
    {
      kind: 'list',
      ordered: false,
      items: [[paragraph('item goes on'), paragraph('again')], [paragraph('next')]],
    },
    paragraph('end'),
    { kind: 'code', language: 'sh', text: 'a | b\n\n# c' },
  ])
})

test('a list holds code and further lists', () => {
  const [list] = parseMarkdown('1. first\n   ```sh\n   run\n     it\n   ```\n2. second\n   - inner\n')
  expect(list).toEqual({
    kind: 'list',
    ordered: true,
    items: [
      [paragraph('first'), { kind: 'code', language: 'sh', text: 'run\n  it' }],
      [paragraph('second'), { kind: 'list', ordered: false, items: [[paragraph('inner')]] }],
    ],
  })
})

test('cells of a table keep an escaped bar, and may be empty', () => {
  const [table] = parseMarkdown('| a | b |\n|---|---|\n| `x\\|y` | |\n| 1 | 2 |\n')
  expect(table).toEqual({
    kind: 'table',
    head: [[text('a')], [text('b')]],
    rows: [
      [[{ kind: 'code', text: 'x|y' }], []],
      [[text('1')], [text('2')]],
    ],
  })
})

test('HTML is text', () => {
  expect(parseMarkdown('<img src=x onerror=alert(1)> <b>a</b>')).toEqual([
    paragraph('<img src=x onerror=alert(1)> <b>a</b>'),
  ])
})

test('marks within a line', () => {
  expect(parseInline('a **b `*`** *c* [d `e`](f.md#g) <https://h.i> ![j](k.svg) \\* 2 * 3 `` ` ``')).toEqual([
    text('a '),
    { kind: 'strong', parts: [text('b '), { kind: 'code', text: '*' }] },
    text(' '),
    { kind: 'emphasis', parts: [text('c')] },
    text(' '),
    { kind: 'link', href: 'f.md#g', parts: [text('d '), { kind: 'code', text: 'e' }] },
    text(' '),
    { kind: 'link', href: 'https://h.i', parts: [text('https://h.i')] },
    text(' '),
    { kind: 'image', src: 'k.svg', alt: 'j' },
    text(' '),
    text('*'),
    text(' 2 * 3 '),
    { kind: 'code', text: ' ` ' },
  ])
})

test('marks without an end stay as they are', () => {
  for (const line of ['a ** b', '*a', '`a', '[a](b', '**a*', '[a]'])
    expect(plainText(parseInline(line)), line).toBe(line)
})

test('a page of marks only is read in a time that grows with its length', () => {
  const depthOf = (blocks: readonly Block[]): number =>
    blocks.reduce(
      (most, block) => Math.max(most, block.kind === 'list' ? 1 + Math.max(...block.items.map(depthOf)) : 0),
      0,
    )
  expect(parseMarkdown('> '.repeat(5000))).toHaveLength(1)
  expect(depthOf(parseMarkdown('- '.repeat(500).concat('x')))).toBeLessThan(10)
  expect(plainText(parseInline('[`x`'.repeat(2000)))).toHaveLength(4000)
})
