import type { Direction, Expression, Protocol } from './expression.ts'

export type Kind = 'host' | 'net' | 'port' | 'portrange' | 'proto'

/** What was said before a value: `tcp src port`. It also holds for bare values that follow: `port 80 or 443`. */
export interface Qualifiers {
  readonly protocol?: Protocol
  readonly direction?: Direction
  readonly kind: Kind
}

export interface Qualified {
  readonly expression: Expression
  /** Absent after something that takes no value, such as `tcp` alone. */
  readonly qualifiers?: Qualifiers
}
