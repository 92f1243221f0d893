import { createHash } from 'node:crypto'
import type { RedactionRules } from '@tapdeck/redact'

/** Two dissections with the same checksum make the same things unreadable, and store the same part of bodies. */
export function rulesChecksum(
  { headers, query, json, sqlLiterals, detect, patterns, bodies, credentials }: RedactionRules,
  bodyBytes: number,
): string {
  const rules = { headers, query, json, sqlLiterals, detect, patterns, bodies, credentials, bodyBytes }
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex')
}
