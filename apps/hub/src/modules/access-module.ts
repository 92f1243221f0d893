import { Access } from '../access/access.ts'
import { AuditLog } from '../access/audit-log.ts'
import { Redactions } from '../access/redactions.ts'
import { SharedTokens } from '../access/shared-tokens.ts'
import type { HubOptions } from '../hub-options.ts'
import type { HubModule } from './hub-module.ts'

/** Who may do what, what they see of payloads, and the log of what they did. */
export interface AccessModule extends HubModule {
  readonly access: Access
  readonly redactions: Redactions
  readonly audit: AuditLog
}

export async function openAccess({ config, dataFolder, state, log }: HubOptions): Promise<AccessModule> {
  const access = await Access.open({
    auth: config.tap.auth,
    dataFolder,
    sharedTokens: config.hub.state === 's3' ? await SharedTokens.open(state) : undefined,
    log,
    now: Date.now,
  })
  const redactions = new Redactions(config.tap)
  const audit = new AuditLog(dataFolder, log)
  return {
    access,
    redactions,
    audit,
    keys: ['tap.auth', 'tap.redaction.byRole'],
    configure({ tap }) {
      redactions.configure(tap)
      access.configure(tap.auth)
    },
    async close() {
      await access.close()
      await audit.close()
    },
  }
}
