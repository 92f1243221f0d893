import { Problem, roles } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import { createRedactor, type RedactionRules, type Redactor, RuleError } from '@tapdeck/redact'
import type { Caller } from './caller.ts'

/** What callers of a role are shown of payloads, on top of what is kept of them at all. */
export class Redactions {
  #byRole: ReadonlyMap<string, Redactor>
  /** What this run stores calls by: a change needs a restart. */
  readonly #forAll: RedactionRules | undefined

  /** Throws `RuleError`: also where a rule for all that is kept, or the name of a role, is wrong. */
  constructor(tap: Config['tap']) {
    this.#byRole = byRole(tap)
    this.#forAll = createRedactor({ ...tap.redaction, credentials: 'keep' })?.rules
  }

  /** Takes changed rules, or throws `RuleError` and keeps the old ones. */
  configure(tap: Config['tap']): void {
    this.#byRole = byRole(tap)
  }

  /** The rules of a role; without one, those for all that is kept. Undefined: there are none. */
  rulesOf(role: string | undefined): RedactionRules | undefined {
    return role === undefined ? this.#forAll : this.#byRole.get(role)?.rules
  }

  of({ role }: Pick<Caller, 'role'>): Redactor | undefined {
    return this.#byRole.get(role)
  }

  /** Throws 403 for what cannot be redacted: raw packets. */
  requireUnredacted(caller: Caller): void {
    if (!this.#byRole.has(caller.role)) return
    throw new Problem(
      403,
      'redacted_role',
      `The role "${caller.role}" sees redacted calls only, and packets cannot be redacted`,
      {
        role: caller.role,
      },
    )
  }
}

function byRole({ redaction, auth }: Config['tap']): ReadonlyMap<string, Redactor> {
  made('tap.redaction', redaction)
  const known = [...Object.keys(roles), ...Object.keys(auth.roles)]
  const found = new Map<string, Redactor>()
  for (const [role, rules] of Object.entries(redaction.byRole)) {
    const path = `tap.redaction.byRole.${role}`
    if (!known.includes(role)) throw new RuleError(`${path}: unknown role; known roles: ${known.join(', ')}`)
    const redactor = made(path, rules)
    if (redactor) found.set(role, redactor)
  }
  return found
}

function made(path: string, rules: RedactionRules): Redactor | undefined {
  try {
    return createRedactor(rules)
  } catch (error) {
    throw error instanceof RuleError ? new RuleError(`${path}: ${error.message}`) : error
  }
}
