import { hasRules, type RedactionRules } from './redaction-rules.ts'
import { Redactor } from './redactor.ts'

/** Undefined if there is nothing to redact, so that it costs nothing. Throws `RuleError`. */
export function createRedactor(rules: RedactionRules | undefined): Redactor | undefined {
  return rules !== undefined && hasRules(rules) ? new Redactor(rules) : undefined
}
