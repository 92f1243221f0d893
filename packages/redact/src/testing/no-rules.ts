import type { RedactionRules } from '../redaction-rules.ts'

/** Nothing is redacted, but what a test adds. */
export const none: RedactionRules = {
  headers: [],
  query: [],
  json: [],
  sqlLiterals: false,
  detect: [],
  patterns: [],
  bodies: false,
}
