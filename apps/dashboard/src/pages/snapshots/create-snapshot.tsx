import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub, type SnapshotWindow } from '../../client/hub.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { useBoundaries } from '../../client/use-hub.ts'
import { inputTime } from '../../format/time.ts'
import { reachesBeyond, readChoice, type WindowChoice } from '../../timeline/window-choice.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { RingTimeline } from './ring-timeline.tsx'
import { nameProblem, suggestName } from './thing-name.ts'
import { WindowFields } from './window-fields.tsx'

/** Takes a window out of the recording before the ring overwrites it. */
export function CreateSnapshot({ taken }: { readonly taken: readonly string[] }) {
  const caller = useCaller()
  const queries = useQueryClient()
  const boundaries = useBoundaries().data?.cluster
  const [name, setName] = useState<string>()
  const [choice, setChoice] = useState<WindowChoice>(() => ({
    kind: 'duration',
    duration: '5m',
    from: inputTime(Date.now() - 600_000),
    to: inputTime(Date.now()),
  }))
  const nameId = useId()
  const create = useMutation({
    mutationFn: (wanted: { name: string; window: SnapshotWindow }) =>
      hub.createSnapshot(wanted.name, wanted.window),
    onSuccess: () => {
      setName(undefined)
      return queries.invalidateQueries({ queryKey: ['snapshots'] })
    },
  })

  const shownName = name ?? suggestName('snap', hubNow(), taken)
  const badName = nameProblem(shownName, taken)
  const window = readChoice(choice)
  const badWindow = 'problem' in window ? window.problem : undefined
  const willBePartial =
    !('problem' in window) &&
    boundaries?.oldest_ts != null &&
    boundaries.newest_ts != null &&
    reachesBeyond(window, boundaries.oldest_ts, boundaries.newest_ts)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!badName && !('problem' in window)) create.mutate({ name: shownName, window })
  }

  return (
    <form className="create" onSubmit={submit} aria-label="Make a snapshot">
      <div className="field">
        <label htmlFor={nameId}>Name</label>
        <input
          id={nameId}
          className="input mono"
          value={shownName}
          aria-invalid={badName !== undefined}
          aria-describedby={badName ? `${nameId}-bad` : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
        />
        {badName && (
          <p id={`${nameId}-bad`} className="field-error">
            {badName}
          </p>
        )}
      </div>
      <RingTimeline
        chosen={'start' in window ? window : undefined}
        onChoose={({ start, end }) =>
          setChoice({
            ...choice,
            kind: 'range',
            from: inputTime(start),
            to: inputTime(Math.ceil(end / 1000) * 1000),
          })
        }
      />
      <WindowFields choice={choice} problem={badWindow} onChange={setChoice} />
      {willBePartial && (
        <p className="soft">This reaches beyond what is recorded: you get what there is, marked partial.</p>
      )}
      {create.error && <ProblemNote problem={create.error} />}
      <Button
        type="submit"
        look="primary"
        icon="layers"
        busy={create.isPending}
        reason={caller.reasonAgainst('snapshot:write') ?? badName ?? badWindow}
      >
        Make snapshot
      </Button>
    </form>
  )
}
