export { createRedactor } from './create-redactor.ts'
export { type RedactionRules, RuleError } from './redaction-rules.ts'
export type { Redactor } from './redactor.ts'
