import { Problem } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import type { Handler } from './handler.ts'

export const listSavedFilters: Handler<'list_saved_filters'> = (_input, services, { caller }) => {
  // The filters of others may hold values that this caller may not see.
  services.redactions.requireUnredacted(caller)
  return { filters: services.savedFilters.list() }
}

export const saveFilter: Handler<'save_filter'> = async ({ name, kfl }, services, { caller }) => {
  const now = services.now()
  if (kfl.trim() === '')
    throw new Problem(400, 'invalid_input', 'kfl is empty: a shared filter has a condition')
  compile(kfl, services.catalog, now)
  const saved = { name, kfl, saved_by: caller.name, saved_at: new Date(now).toISOString() }
  await services.savedFilters.save(saved)
  return saved
}

export const deleteSavedFilter: Handler<'delete_saved_filter'> = async ({ name }, { savedFilters }) => {
  await savedFilters.remove(name)
  return { success: true, name }
}
