import { describe, expect, test } from 'vitest'
import { format } from './format.ts'
import { parse } from './parser.ts'

/** The tree with every pair of parentheses that it stands for. */
function grouped(text: string): string {
  const write = (node: ReturnType<typeof parse>): string => {
    switch (node?.kind) {
      case 'and':
      case 'or':
        return `(${node.parts.map(write).join(` ${node.kind} `)})`
      case 'not':
        return `(not ${write(node.of)})`
      case 'compare':
      case 'arithmetic':
        return `(${write(node.left)} ${node.operator} ${write(node.right)})`
      case 'choose':
        return `(${write(node.test)} ? ${write(node.yes)} : ${write(node.no)})`
      default:
        return format(text.slice(node?.start, node?.end))
    }
  }
  return write(parse(text))
}

describe('the parser', () => {
  test.each([
    ['a and b or c and d', '((a and b) or (c and d))'],
    ['a or b and c', '(a or (b and c))'],
    ['not a == b and c', '((not (a == b)) and c)'],
    ['!a && b', '((not a) and b)'],
    ['a + b * c - d == e', '(((a + (b * c)) - d) == e)'],
    ['a == 1 ? b : c ? d : e', '((a == 1) ? b : (c ? d : e))'],
    ['a or b ? c : d', '((a or b) ? c : d)'],
    ['not not a', '(not (not a))'],
  ])('%s is %s', (text, expected) => {
    expect(grouped(text)).toBe(expected)
  })

  test('keeps a long chain flat', () => {
    const tree = parse(Array.from({ length: 2000 }, () => 'a').join(' or '))
    expect(tree?.kind === 'or' && tree.parts.length).toBe(2000)
  })

  test('reads nothing as no filter', () => {
    expect(parse(' \n')).toBeUndefined()
  })
})
