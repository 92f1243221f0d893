export { noRules as none } from '../redaction-rules.ts'
