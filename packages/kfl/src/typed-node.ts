import type { IpBlock } from '@tapdeck/ip'
import type { CatalogField, ValueType } from './field.ts'
import type { Regex } from './regex/regex.ts'
import type { Span } from './span.ts'
import type { ArithmeticOperator } from './syntax-node.ts'

export type Scalar = string | number | boolean

/**
 * How two values are compared. `text`, `number` and `boolean` say what both are; `status` compares as text what may be
 * a number or a word.
 */
export type Comparison = 'text' | 'number' | 'boolean' | 'status'

/**
 * A checked filter: every name is known, every type fits, and what is absent has been decided (`!=` is already
 * spelled out). Tests answer yes or no for any call; values may be absent.
 */
export type TestNode = Span &
  (
    | { readonly kind: 'always'; readonly value: boolean }
    /** `written`: in the text of the filter; others come from `!=` or a range. */
    | { readonly kind: 'and' | 'or'; readonly parts: readonly TestNode[]; readonly written?: boolean }
    | { readonly kind: 'not'; readonly of: TestNode }
    | { readonly kind: 'present'; readonly of: ValueNode }
    /** A boolean value that is there and true. */
    | { readonly kind: 'truth'; readonly of: ValueNode }
    | {
        readonly kind: 'compare'
        readonly operator: '==' | '<' | '<=' | '>' | '>='
        readonly as: Comparison
        readonly left: ValueNode
        readonly right: ValueNode
      }
    /** Equal to one of the constants. */
    | {
        readonly kind: 'one-of'
        readonly as: Comparison
        readonly of: ValueNode
        readonly values: readonly Scalar[]
      }
    | {
        readonly kind: 'text'
        readonly operator: 'contains' | 'startsWith' | 'endsWith'
        readonly of: ValueNode
        readonly part: ValueNode
      }
    | { readonly kind: 'matches'; readonly of: ValueNode; readonly regex: Regex }
    | { readonly kind: 'cidr'; readonly of: ValueNode; readonly block: IpBlock }
    /** Whether a list has an element equal to the value. */
    | { readonly kind: 'element'; readonly of: ValueNode; readonly list: ValueNode }
    | { readonly kind: 'key'; readonly of: ValueNode; readonly map: ValueNode; readonly ignoreCase: boolean }
    | {
        readonly kind: 'quantifier'
        readonly operator: 'exists' | 'all' | 'one'
        readonly list: ValueNode
        readonly slot: number
        readonly body: TestNode
      }
  )

export type ValueNode = Span & { readonly type: ValueType } & (
    | { readonly kind: 'constant'; readonly value: Scalar | IpBlock; readonly unit?: 'bytes' }
    | { readonly kind: 'field'; readonly field: CatalogField }
    | { readonly kind: 'variable'; readonly slot: number }
    | {
        readonly kind: 'member'
        readonly of: ValueNode
        readonly key: ValueNode
        readonly ignoreCase: boolean
      }
    | { readonly kind: 'otherwise'; readonly of: ValueNode; readonly otherwise: ValueNode }
    | {
        readonly kind: 'arithmetic'
        readonly operator: ArithmeticOperator
        readonly left: ValueNode
        readonly right: ValueNode
      }
    | { readonly kind: 'concat'; readonly left: ValueNode; readonly right: ValueNode }
    | { readonly kind: 'size'; readonly of: ValueNode }
    | { readonly kind: 'convert'; readonly of: ValueNode }
    | { readonly kind: 'choose'; readonly test: TestNode; readonly yes: ValueNode; readonly no: ValueNode }
    | { readonly kind: 'test'; readonly of: TestNode }
    | { readonly kind: 'list'; readonly items: readonly ValueNode[] }
    | { readonly kind: 'filter'; readonly list: ValueNode; readonly slot: number; readonly body: TestNode }
    | { readonly kind: 'map'; readonly list: ValueNode; readonly slot: number; readonly body: ValueNode }
  )

export type TypedNode = TestNode
