import type { Comparison, Operator } from './expression.ts'

/** A number taken from a packet, 32 bits, unsigned. A load beyond the packet ends everything: it does not match. */
export type Value =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'length' }
  | {
      readonly kind: 'load'
      readonly size: 1 | 2 | 4
      /** Bytes from the start of the packet. */
      readonly from: number
      /** Added to it: four times the low half of the byte there, the length of an IPv4 header. */
      readonly headerAt?: number
      /** Added to it as well. */
      readonly index?: Value
    }
  | {
      readonly kind: 'binary'
      readonly operator: Operator
      readonly left: Value
      readonly right: Value
    }

/** What an expression means for packets of one link layer: comparisons of numbers, nothing else. */
export type Test =
  | { readonly kind: 'constant'; readonly value: boolean }
  | {
      readonly kind: 'compare'
      readonly comparison: Comparison
      readonly left: Value
      readonly right: Value
    }
  | { readonly kind: 'and' | 'or'; readonly left: Test; readonly right: Test }
  | { readonly kind: 'not'; readonly of: Test }

export function and(...tests: readonly Test[]): Test {
  return tests.reduce((left, right) => ({ kind: 'and', left, right }))
}

export function or(...tests: readonly Test[]): Test {
  return tests.reduce((left, right) => ({ kind: 'or', left, right }))
}

function number(value: number): Value {
  return { kind: 'number', value }
}

export function compare(left: Value, comparison: Comparison, right: number): Test {
  return { kind: 'compare', comparison, left, right: number(right) }
}

/** The masked bits of a value are these. */
export function bits(left: Value, mask: number, value: number): Test {
  const full = mask === 0xffffffff
  return compare(full ? left : { kind: 'binary', operator: '&', left, right: number(mask) }, '=', value)
}
