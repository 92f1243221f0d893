/** The filters that this browser remembers. */
export interface FilterMemory {
  /** Kept by the user, in the order of keeping. */
  readonly saved: readonly string[]
  /** The newest first. */
  readonly recent: readonly string[]
}

export const noFilters: FilterMemory = { saved: [], recent: [] }

const MAX_RECENT = 20
const MAX_SAVED = 50

/** With a filter that was just applied. */
export function withRecent(memory: FilterMemory, filter: string): FilterMemory {
  if (filter === '') return memory
  return {
    ...memory,
    recent: [filter, ...memory.recent.filter((one) => one !== filter)].slice(0, MAX_RECENT),
  }
}

/** Saves a filter, or forgets that it is saved. */
export function withSaved(memory: FilterMemory, filter: string): FilterMemory {
  const others = memory.saved.filter((one) => one !== filter)
  const saved = memory.saved.includes(filter) ? others : [...others, filter].slice(-MAX_SAVED)
  return { ...memory, saved }
}

/** What a browser has stored, which may be anything. */
export function readFilters(value: unknown): FilterMemory | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { saved, recent } = value as { readonly saved?: unknown; readonly recent?: unknown }
  return isTexts(saved) && isTexts(recent) ? { saved, recent } : undefined
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}
