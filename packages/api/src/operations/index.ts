import type { z } from 'zod'
import { calls } from './calls.ts'
import { dissections } from './dissections.ts'
import { filters } from './filters.ts'
import { names } from './names.ts'
import { snapshots } from './snapshots.ts'
import { state } from './state.ts'
import { switching } from './switch.ts'

/** THE list of operations. Keys are the MCP tools' names. */
export const operations = {
  ...switching,
  ...snapshots,
  ...dissections,
  ...calls,
  ...names,
  ...filters,
  ...state,
} as const

export type Operations = typeof operations
export type OperationName = keyof Operations
export type OperationInput<Name extends OperationName> = z.output<Operations[Name]['input']>
export type OperationOutput<Name extends OperationName> = z.input<Operations[Name]['output']>
