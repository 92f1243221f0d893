import type { Redaction } from '../../contract/redaction.ts'
import { eachScalar } from './each-scalar.ts'

/** Documents are BSON on the wire, and presented as JSON. */
export const redact: Redaction = {
  eachValue({ body, fields }, report) {
    const opcode = fields?.opcode
    if (body !== undefined && typeof opcode === 'number') eachScalar(opcode, body, report)
  },
}
