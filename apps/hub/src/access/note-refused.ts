import { Problem } from '@tapdeck/api'
import type { AuditEntry } from './audit-entry.ts'
import type { AuditLog } from './audit-log.ts'

/** Writes to the audit log that a caller was refused before it was known. Returns the error, to be thrown on. */
export function noteRefused(
  audit: AuditLog,
  asked: Pick<AuditEntry, 'at' | 'from' | 'door' | 'what'>,
  error: unknown,
): unknown {
  const status = error instanceof Problem ? error.status : 500
  audit.addRefused({ ...asked, who: '', role: '', kind: '', status })
  return error
}
