import type { ArithmeticOperator } from './syntax-node.ts'

/** Undefined where there is no result: a division by zero is absent, not infinite. */
export function reckon(operator: ArithmeticOperator, left: number, right: number): number | undefined {
  let value: number
  switch (operator) {
    case '+':
      value = left + right
      break
    case '-':
      value = left - right
      break
    case '*':
      value = left * right
      break
    case '/':
      value = left / right
      break
    case '%':
      value = left % right
      break
  }
  return Number.isFinite(value) ? value : undefined
}
