import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { hub } from '../../client/hub.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { nameProblem, suggestDissectionName } from './thing-name.ts'

export interface DissectFormProps {
  readonly snapshot: string
  readonly taken: readonly string[]
  readonly onDone: () => void
}

export function DissectForm({ snapshot, taken, onDone }: DissectFormProps) {
  const queries = useQueryClient()
  const [name, setName] = useState(() => suggestDissectionName(taken))
  const id = useId()
  const start = useMutation({
    mutationFn: () => hub.startDissection(snapshot, name),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['dissections'] })
      onDone()
    },
  })
  const bad = nameProblem(name, taken)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!bad && !start.isPending) start.mutate()
  }
  return (
    <form className="dissect-form" onSubmit={submit} aria-label={`Dissect ${snapshot}`}>
      <label htmlFor={id}>Name of the dissection</label>
      <input
        id={id}
        className="input mono"
        value={name}
        aria-invalid={bad !== undefined}
        aria-describedby={bad ? `${id}-bad` : undefined}
        autoComplete="off"
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: the user just pressed "Dissect"
        autoFocus
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onDone()}
      />
      <Button type="submit" look="primary" busy={start.isPending} reason={bad}>
        Start
      </Button>
      <Button look="bare" onClick={onDone}>
        Cancel
      </Button>
      {bad && (
        <p id={`${id}-bad`} className="field-error">
          {bad}
        </p>
      )}
      {start.error && <ProblemNote problem={start.error} />}
    </form>
  )
}
