import { Problem } from '@tapdeck/api'
import { configKeys, isSecret, restartReason, shownValue } from '@tapdeck/config'
import { RuleError } from '@tapdeck/redact'
import type { Caller } from '../access/caller.ts'
import { keptFilter } from '../query/kept-filters.ts'
import { redactionChanges } from '../query/redaction-changes.ts'
import { requireRole } from './access.ts'
import { findCall } from './calls.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'

export const getConfiguration: Handler<'get_configuration'> = (_input, services, { caller }) => ({
  keys: services.configuration.running().map(({ key, value, origin }, at) => {
    const { default: preset, doc } = configKeys[at]!
    const restart = restartReason(key)
    const isHidden = isSecret(key) && JSON.stringify(value) !== JSON.stringify(preset)
    return {
      key,
      ...shownSetting(key, value, caller, services),
      default: preset,
      source: origin,
      doc,
      ...(isHidden && { secret: true }),
      ...(restart !== undefined && { restart }),
    }
  }),
  files: [...services.configuration.files],
})

/** A filter in the configuration is withheld as any other that is kept. */
function shownSetting(key: string, value: unknown, caller: Caller, services: HubServices) {
  const shown = key.endsWith('.kfl') ? keptFilter(String(value), caller, services) : undefined
  return shown && 'kfl_withheld' in shown
    ? { value: null, value_withheld: shown.kfl_withheld }
    : { value: shownValue(key, value) }
}

export const previewRedaction: Handler<'preview_redaction'> = async (input, services, context) => {
  const { redactions, access } = services
  // Rules that it chooses would say what the rules for it hide.
  redactions.requireUnredacted(context.caller)
  if (input.role !== undefined && input.rules !== undefined)
    throw new Problem(400, 'invalid_input', 'give role or rules, not both')
  if (input.role !== undefined) requireRole(input.role, access.roles)
  const rules = input.rules ?? redactions.rulesOf(input.role)
  const {
    timeline: _,
    events: __,
    ...call
  } = await findCall({ id: input.id, db: input.db, start: undefined, end: undefined }, services, context)
  if (rules === undefined) return { rules: 0, changes: [], truncated: false }
  try {
    return await redactionChanges(call, rules)
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    throw new Problem(400, 'bad_rule', error.message)
  }
}
