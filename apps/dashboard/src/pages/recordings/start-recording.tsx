import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { nameProblem } from '../snapshots/thing-name.ts'

/** Starts a recording now. */
export function StartRecording({ taken }: { readonly taken: readonly string[] }) {
  const caller = useCaller()
  const queries = useQueryClient()
  const id = useId()
  const [name, setName] = useState('')
  const [kfl, setKfl] = useState('')
  const [duration, setDuration] = useState('10m')
  const [resumes, setResumes] = useState(false)
  const start = useMutation({
    mutationFn: () => hub.startRecording({ name, kfl, duration, resume_indexing: resumes }),
    onSuccess: () => {
      setName('')
      return queries.invalidateQueries({ queryKey: ['recordings'] })
    },
  })
  const badName = nameProblem(name, taken)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!badName) start.mutate()
  }
  const field = (label: string, value: string, set: (value: string) => void) => (
    <div className="field">
      <label htmlFor={`${id}-${label}`}>{label}</label>
      <input
        id={`${id}-${label}`}
        className="input mono"
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  )
  return (
    <form className="create" onSubmit={submit} aria-label="Start a recording">
      {field('Name', name, setName)}
      {field('Filter', kfl, setKfl)}
      {field('Longest time', duration, setDuration)}
      {caller.can('dissection:control') && (
        <label>
          <input type="checkbox" checked={resumes} onChange={(event) => setResumes(event.target.checked)} />{' '}
          Resume traffic indexing
        </label>
      )}
      {start.error && <ProblemNote problem={start.error} />}
      <Button
        type="submit"
        look="primary"
        icon="play"
        busy={start.isPending}
        reason={caller.reasonAgainst('settings:write') ?? badName}
      >
        Start recording
      </Button>
    </form>
  )
}
