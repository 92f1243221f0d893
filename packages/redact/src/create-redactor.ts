import { hasRules, type RedactionRules } from './redaction-rules.ts'
import { Redactor } from './redactor.ts'

/** Undefined if there is nothing to redact, so that it costs nothing. `maxSteps`: see `Redactor`. Throws `RuleError`. */
export function createRedactor(rules: RedactionRules | undefined, maxSteps?: number): Redactor | undefined {
  if (rules === undefined || !(hasRules(rules) || rules.credentials === 'mask')) return undefined
  return new Redactor(rules, maxSteps)
}
