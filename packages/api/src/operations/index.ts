import type { z } from 'zod'
import { access } from './access.ts'
import { agents } from './agents.ts'
import { calls } from './calls.ts'
import { capturing } from './capture.ts'
import { comparison } from './comparison.ts'
import { dissections } from './dissections.ts'
import { events } from './events.ts'
import { explaining } from './explain.ts'
import { filters } from './filters.ts'
import { names } from './names.ts'
import { recorders } from './recorders.ts'
import { recordings } from './recordings.ts'
import { savedFilters } from './saved-filters.ts'
import { settings } from './settings.ts'
import { snapshots } from './snapshots.ts'
import { state } from './state.ts'
import { suspects } from './suspects.ts'
import { switching } from './switch.ts'
import { targeting } from './targets.ts'
import { topology } from './topology.ts'

/** THE list of operations. An operation that is an MCP tool of its own has its key as the tool's name. */
export const operations = {
  ...switching,
  ...snapshots,
  ...capturing,
  ...dissections,
  ...explaining,
  ...calls,
  ...suspects,
  ...topology,
  ...comparison,
  ...events,
  ...names,
  ...targeting,
  ...filters,
  ...savedFilters,
  ...recordings,
  ...agents,
  ...state,
  ...access,
  ...recorders,
  ...settings,
} as const

export type Operations = typeof operations
export type OperationName = keyof Operations
export type OperationInput<Name extends OperationName> = z.output<Operations[Name]['input']>
/** The input as a caller writes it, before the hub parses durations and times. */
export type OperationRequest<Name extends OperationName> = z.input<Operations[Name]['input']>
export type OperationOutput<Name extends OperationName> = z.input<Operations[Name]['output']>
