import { Problem } from '@tapdeck/api'
import type { Caller } from '../access/caller.ts'
import { keptFilter } from '../query/kept-filters.ts'
import { requireAllowedFilter } from './dissections.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'

export const listSavedFilters: Handler<'list_saved_filters'> = (_input, { savedFilters }) => ({
  filters: savedFilters.list(),
})

export const saveFilter: Handler<'save_filter'> = async ({ name, kfl }, services, { caller }) => {
  const now = services.now()
  if (kfl.trim() === '')
    throw new Problem(400, 'invalid_input', 'kfl is empty: a shared filter has a condition')
  requireAllowedFilter(kfl, services, caller)
  requireShown(name, services, caller)
  const saved = { name, kfl, saved_by: caller.name, saved_at: new Date(now).toISOString() }
  await services.savedFilters.save(saved)
  return saved
}

export const deleteSavedFilter: Handler<'delete_saved_filter'> = async ({ name }, services, { caller }) => {
  requireShown(name, services, caller)
  await services.savedFilters.remove(name)
  return { success: true, name }
}

/** Throws 403 where the caller may not see the filter that it would replace or delete. */
function requireShown(name: string, services: HubServices, caller: Caller): void {
  const saved = services.savedFilters.list().find((one) => one.name === name)
  if (saved === undefined || 'kfl' in keptFilter(saved.kfl, caller, services)) return
  throw new Problem(
    403,
    'redacted_field',
    `The role "${caller.role}" may not see the shared filter "${name}", so it cannot replace or delete it`,
    { role: caller.role, hint: 'Save yours under another name.' },
  )
}
