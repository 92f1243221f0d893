import { BIND } from './binding.ts'
import { parse } from './parser.ts'
import type { SyntaxNode } from './syntax-node.ts'
import { textLiteral } from './text-literal.ts'

/** The two ways to write a filter; they mean the same. */
export type Accent = 'words' | 'cel'

/** The filter in its canonical form: one line, one space, double quotes, words. Throws `KflError`. */
export function format(text: string, accent: Accent = 'words'): string {
  const node = parse(text)
  return node ? new Printer(accent).print(node, 0) : ''
}

class Printer {
  readonly #words: boolean

  constructor(accent: Accent) {
    this.#words = accent === 'words'
  }

  /** In parentheses where the node binds no tighter than what stands around it. */
  print(node: SyntaxNode, around: number): string {
    const text = this.#bare(node)
    return this.#bind(node) <= around ? `(${text})` : text
  }

  #bind(node: SyntaxNode): number {
    switch (node.kind) {
      case 'choose':
      case 'or':
      case 'and':
      case 'compare':
      case 'range':
        return BIND[node.kind]
      case 'in':
        return BIND.compare
      case 'text':
        return this.#words || node.negated ? BIND.compare : BIND.primary
      case 'not':
        return this.#words ? BIND.not : BIND.prefix
      case 'minus':
        return BIND.prefix
      case 'arithmetic':
        return node.operator === '+' || node.operator === '-' ? BIND.add : BIND.multiply
      default:
        return BIND.primary
    }
  }

  #bare(node: SyntaxNode): string {
    switch (node.kind) {
      case 'string':
        return textLiteral(node.value)
      case 'number':
      case 'duration':
      case 'size':
      case 'ip':
        return node.text
      case 'boolean':
        return String(node.value)
      case 'null':
        return 'null'
      case 'name':
        return node.name
      case 'member':
        return this.#member(node)
      case 'index':
        return `${this.print(node.of, BIND.prefix)}[${this.print(node.key, 0)}]`
      case 'call': {
        const of = node.of ? `${this.print(node.of, BIND.prefix)}.` : ''
        return `${of}${node.name}(${this.#list(node.args)})`
      }
      case 'and':
      case 'or': {
        const word = this.#words ? node.kind : node.kind === 'and' ? '&&' : '||'
        return flat(node)
          .map((part) => this.print(part, BIND[node.kind]))
          .join(` ${word} `)
      }
      case 'not':
        return this.#words
          ? `not ${this.print(node.of, BIND.not - 1)}`
          : `!${this.print(node.of, BIND.prefix - 1)}`
      case 'minus':
        return `-${this.print(node.of, BIND.prefix - 1)}`
      case 'compare':
        return this.#infix(node, node.operator, BIND.compare, BIND.compare)
      case 'text':
        return this.#text(node)
      case 'in':
        return this.#infix(node, node.negated ? 'not in' : 'in', BIND.compare, BIND.compare)
      case 'arithmetic':
        return this.#infix(node, node.operator, this.#bind(node) - 1, this.#bind(node))
      case 'choose':
        return `${this.print(node.test, BIND.choose)} ? ${this.print(node.yes, 0)} : ${this.print(node.no, 0)}`
      case 'list':
        return `[${this.#list(node.items)}]`
      case 'range':
        return `${this.print(node.from, BIND.range)}..${this.print(node.to, BIND.range)}`
    }
  }

  #member(node: Extract<SyntaxNode, { kind: 'member' }>): string {
    const name = /^\w+$/.test(node.name) ? `.${node.name}` : `[${textLiteral(node.name)}]`
    return this.print(node.of, BIND.prefix) + name
  }

  #text(node: Extract<SyntaxNode, { kind: 'text' }>): string {
    if (!this.#words && !node.negated) {
      return `${this.print(node.left, BIND.prefix)}.${node.operator}(${this.print(node.right, 0)})`
    }
    return this.#infix(
      node,
      `${node.negated ? 'not ' : ''}${node.operator.toLowerCase()}`,
      BIND.compare,
      BIND.compare,
    )
  }

  #infix(
    node: { left: SyntaxNode; right: SyntaxNode },
    operator: string,
    left: number,
    right: number,
  ): string {
    return `${this.print(node.left, left)} ${operator} ${this.print(node.right, right)}`
  }

  #list(items: readonly SyntaxNode[]): string {
    return items.map((item) => this.print(item, 0)).join(', ')
  }
}

/** `(a and b) and c` needs no parentheses. */
function flat(node: Extract<SyntaxNode, { kind: 'and' | 'or' }>): readonly SyntaxNode[] {
  return node.parts.flatMap((part) => (part.kind === node.kind ? flat(part) : [part]))
}
