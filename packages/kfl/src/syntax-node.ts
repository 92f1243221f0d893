import type { IpBlock } from '@tapdeck/ip'
import type { Span } from './span.ts'

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>='
export type TextOperator = 'contains' | 'startsWith' | 'endsWith' | 'matches'
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%'

/** A filter as it was written, before names and types are looked at. `depth` is the height of the tree below. */
export type SyntaxNode = Span & { readonly depth: number } & (
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number' | 'duration' | 'size'; readonly value: number; readonly text: string }
    | { readonly kind: 'ip'; readonly value: IpBlock; readonly text: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'member'; readonly of: SyntaxNode; readonly name: string; readonly nameStart: number }
    | { readonly kind: 'index'; readonly of: SyntaxNode; readonly key: SyntaxNode }
    | {
        readonly kind: 'call'
        readonly name: string
        readonly nameStart: number
        /** For a method: the expression before the dot. */
        readonly of?: SyntaxNode
        readonly args: readonly SyntaxNode[]
      }
    | { readonly kind: 'and' | 'or'; readonly parts: readonly SyntaxNode[] }
    /** `!` binds tightly, as in CEL; the word `not` takes a whole comparison. */
    | { readonly kind: 'not'; readonly of: SyntaxNode }
    | { readonly kind: 'minus'; readonly of: SyntaxNode }
    | {
        readonly kind: 'compare'
        readonly operator: ComparisonOperator
        readonly left: SyntaxNode
        readonly right: SyntaxNode
      }
    | {
        readonly kind: 'text'
        readonly operator: TextOperator
        /** `path not contains "x"` */
        readonly negated: boolean
        readonly left: SyntaxNode
        readonly right: SyntaxNode
      }
    | {
        readonly kind: 'in'
        readonly negated: boolean
        readonly left: SyntaxNode
        readonly right: SyntaxNode
      }
    | {
        readonly kind: 'arithmetic'
        readonly operator: ArithmeticOperator
        readonly left: SyntaxNode
        readonly right: SyntaxNode
      }
    | {
        readonly kind: 'choose'
        readonly test: SyntaxNode
        readonly yes: SyntaxNode
        readonly no: SyntaxNode
      }
    | { readonly kind: 'list'; readonly items: readonly SyntaxNode[] }
    | { readonly kind: 'range'; readonly from: SyntaxNode; readonly to: SyntaxNode }
  )
