import { z } from 'zod'
import { anyReader } from '../capability.ts'
import { keptFilter } from '../filter-text.ts'
import { instant } from '../instant.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none, text } from './inputs.ts'

const MAX_NAME = 80

/** For people: anything that can be read and be part of an address. */
const name = z
  .string()
  .trim()
  .min(1)
  .max(MAX_NAME)
  .regex(/^[^\p{C}/\\]+$/u, 'a name has no slash and no control character')

const savedFilter = z.object({
  name: z.string(),
  ...keptFilter,
  saved_by: z.string(),
  saved_at: instant,
})

/** Filters that callers share. Roles that see some namespaces only have none: a filter may name what they may not see. */
export const savedFilters = {
  list_saved_filters: operation({
    title: 'Shared filters',
    description: 'Filters that callers saved for all, by name.',
    method: 'GET',
    path: '/saved-filters',
    interfaces: ['api'],
    capability: anyReader,
    scope: 'refused',
    input: none,
    output: z.object({ filters: z.array(savedFilter) }),
  }),
  save_filter: operation({
    title: 'Share a filter',
    description: 'Saves a filter under a name for all callers. A filter of the same name is replaced.',
    method: 'PUT',
    path: '/saved-filters/{name}',
    interfaces: ['api'],
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: z.object({ name, kfl: text }),
    output: savedFilter,
  }),
  delete_saved_filter: operation({
    title: 'Delete a shared filter',
    description: 'Deletes a filter that was saved for all callers.',
    method: 'DELETE',
    path: '/saved-filters/{name}',
    interfaces: ['api'],
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: z.object({ name }),
    output: shapes.success,
  }),
} as const
