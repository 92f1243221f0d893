import { expect, test } from 'vitest'
import { graphqlLayout } from './graphql-layout.ts'

test('a document is laid out with one field a line', () => {
  expect(
    graphqlLayout(
      'query Cart($id: ID!, $n: Int = 3) { cart(id: $id) { id total: sum items(first: $n) @include(if: true) { ...Item name } ... on Gift { note } } }',
    ),
  ).toBe(
    [
      'query Cart($id: ID!, $n: Int = 3) {',
      '  cart(id: $id) {',
      '    id',
      '    total: sum',
      '    items(first: $n) @include(if: true) {',
      '      ...Item',
      '      name',
      '    }',
      '    ... on Gift {',
      '      note',
      '    }',
      '  }',
      '}',
    ].join('\n'),
  )
})

test('brackets inside of strings do not count', () => {
  expect(graphqlLayout('mutation AddItem { add(item: "tea {") { id } }')).toBe(
    ['mutation AddItem {', '  add(item: "tea {") {', '    id', '  }', '}'].join('\n'),
  )
})

test('broken documents keep their text', () => {
  const bare = (text: string) => text.replaceAll(/[\s,]+/g, '')
  for (const text of ['}}}', '{ a', '"open', '"""open', '# only', '((({', '{a}'.repeat(1000)])
    expect(bare(graphqlLayout(text))).toBe(bare(text))
})
