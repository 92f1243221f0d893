import { Icon } from '../ui/icon.tsx'
import type { FilterMemory } from './filter-memory.ts'

export interface FilterListProps {
  readonly memory: FilterMemory
  readonly onPick: (filter: string) => void
  readonly onSave: (filter: string) => void
}

/** Saved and recent filters of this browser. */
export function FilterList({ memory, onPick, onSave }: FilterListProps) {
  const recent = memory.recent.filter((filter) => !memory.saved.includes(filter))
  if (memory.saved.length + recent.length === 0)
    return <p className="filter-list soft">Filters that you apply are listed here.</p>
  return (
    <ul className="filter-list" aria-label="Saved and recent filters">
      {[...memory.saved, ...recent].map((filter) => {
        const isSaved = memory.saved.includes(filter)
        return (
          <li key={filter}>
            <button type="button" className="filter-pick cut" title={filter} onClick={() => onPick(filter)}>
              <code>{filter}</code>
            </button>
            <button
              type="button"
              className="button bare square"
              aria-pressed={isSaved}
              aria-label={isSaved ? `Forget ${filter}` : `Save ${filter}`}
              title={
                isSaved ? 'Saved in this browser. Click to forget it.' : 'Save this filter in this browser'
              }
              onClick={() => onSave(filter)}
            >
              <Icon name={isSaved ? 'check' : 'keep'} size={14} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
