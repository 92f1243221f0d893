import { clickhouseDialect } from '@tapdeck/kfl'

/** A text as a literal of ClickHouse. */
export function quote(text: string): string {
  return clickhouseDialect.literal(text) ?? "''"
}
