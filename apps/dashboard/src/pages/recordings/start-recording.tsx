import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { useKflCheck } from '../../client/use-hub.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { durationMs } from '../../timeline/window-choice.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { nameProblem, suggestName } from '../snapshots/thing-name.ts'

/** Starts a recording now: of what the page is filtered by, unless another filter is given. */
export function StartRecording({ taken }: { readonly taken: readonly string[] }) {
  const caller = useCaller()
  const queries = useQueryClient()
  const isPaused = useStore(useSession().switch)?.enabled === false
  const [name, setName] = useState<string>()
  const [kfl, setKfl] = useState(useAddress().kfl)
  const [duration, setDuration] = useState('10m')
  const [resumes, setResumes] = useState(false)
  const start = useMutation({
    mutationFn: (named: string) =>
      hub.startRecording({ name: named, kfl, duration, resume_indexing: isPaused && resumes }),
    onSuccess: () => {
      setName(undefined)
      return queries.invalidateQueries({ queryKey: ['recordings'] })
    },
  })
  const shownName = name ?? suggestName('rec', hubNow(), taken)
  const badName = nameProblem(shownName, taken)
  const rested = useDebounced(kfl, 600)
  const check = useKflCheck(rested).data
  const badFilter = kfl !== '' && rested === kfl && check?.valid === false ? check.message : undefined
  const badDuration =
    durationMs(duration.trim()) === undefined ? 'Write a duration as in 90s, 30m, 1h30m or 2d.' : undefined
  const bad = badName ?? badFilter ?? badDuration
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!bad && !start.isPending) start.mutate(shownName)
  }
  return (
    <form className="create" onSubmit={submit} aria-label="Start a recording">
      <TextField label="Name" value={shownName} onChange={setName} problem={badName} />
      <TextField label="Filter" value={kfl} onChange={setKfl} problem={badFilter}>
        {kfl === '' && 'Without one, all traffic is kept.'}
      </TextField>
      <TextField label="Longest time" value={duration} onChange={setDuration} problem={badDuration} />
      {isPaused && caller.can('dissection:control') && (
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
        reason={caller.reasonAgainst('settings:write') ?? bad}
      >
        Start recording
      </Button>
    </form>
  )
}
