import { hasRules, type RedactionRules } from './redaction-rules.ts'
import { Redactor } from './redactor.ts'

/** Undefined where there is nothing to redact: whoever keeps calls then pays nothing for it. Throws `RuleError`. */
export function createRedactor(rules: RedactionRules | undefined): Redactor | undefined {
  return rules !== undefined && hasRules(rules) ? new Redactor(rules) : undefined
}
