import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCaller } from '../client/caller.ts'
import { hub } from '../client/hub.ts'
import { useSavedFilters } from '../client/use-hub.ts'
import { dateTime } from '../format/time.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

export interface SharedFiltersProps {
  /** The filter in force, which can be shared. */
  readonly applied: string
  readonly onPick: (filter: string) => void
}

/** The filters that callers of this hub share, and a form to share the one in force. */
export function SharedFilters({ applied, onPick }: SharedFiltersProps) {
  const queries = useQueryClient()
  const denied = useCaller().reasonAgainst('settings:write')
  const { data: filters = [], error } = useSavedFilters()
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const change = async (changed: Promise<unknown>) => {
    try {
      await changed
      setName('')
      setProblem(undefined)
    } catch (reason) {
      setProblem(reason instanceof Error ? reason.message : String(reason))
    }
    await queries.invalidateQueries({ queryKey: ['saved-filters'] })
  }
  const share = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') setProblem('Give it a name first.')
    else void change(hub.saveFilter(name.trim(), applied))
  }
  if (error) return <p className="filter-note soft">Shared filters: {error.message}</p>
  return (
    <>
      <h3 className="filter-note">Shared on this hub</h3>
      {filters.length === 0 && <p className="filter-note soft">No filter is shared yet.</p>}
      <ul className="filter-list" aria-label="Shared filters">
        {filters.map((filter) => (
          <li key={filter.name}>
            <button
              type="button"
              className="filter-pick cut"
              disabled={filter.kfl === undefined}
              title={`${filter.kfl ?? filter.kfl_withheld}\nShared by ${filter.saved_by}, ${dateTime(Date.parse(filter.saved_at))}`}
              onClick={() => onPick(filter.kfl ?? '')}
            >
              <b>{filter.name}</b> <code>{filter.kfl ?? 'withheld'}</code>
            </button>
            <button
              type="button"
              className="button bare square"
              aria-label={`Delete the shared filter ${filter.name}`}
              aria-disabled={denied !== undefined || undefined}
              title={denied ?? 'Deletes it for all callers'}
              onClick={() => denied === undefined && void change(hub.deleteSavedFilter(filter.name))}
            >
              <Icon name="trash" size={14} />
            </button>
          </li>
        ))}
      </ul>
      {applied !== '' && (
        <form className="filter-share" onSubmit={share}>
          <input
            className="input grow"
            aria-label="Name of the shared filter"
            placeholder="Name, to share the filter in force"
            maxLength={80}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" icon="keep" reason={denied}>
            Share
          </Button>
        </form>
      )}
      {problem && (
        <p role="status" className="filter-note wrong-text">
          {problem}
        </p>
      )}
    </>
  )
}
