import { visibleText } from '@tapdeck/api'

/** JSON in which every control, bidirectional or invisible character is an escape. It means the same to a parser. */
export function visibleJson(value: unknown): string {
  return visibleText(JSON.stringify(value))
}
