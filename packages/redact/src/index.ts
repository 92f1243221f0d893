export { createRedactor } from './create-redactor.ts'
export { noRules, type RedactionRules, RuleError } from './redaction-rules.ts'
export type { Redactor } from './redactor.ts'
