import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { hub, type Snapshot } from '../../client/hub.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { nameProblem } from './thing-name.ts'

export interface EditSnapshotProps {
  readonly snapshot: Snapshot
  readonly taken: readonly string[]
  readonly onSaved: () => Promise<unknown>
  readonly onClose: () => void
}

/** Its name, and what people say of it. The packets never change. */
export function EditSnapshot({ snapshot, taken, onSaved, onClose }: EditSnapshotProps) {
  const [name, setName] = useState(snapshot.name)
  const [tags, setTags] = useState(snapshot.tags.join(', '))
  const [notes, setNotes] = useState(snapshot.notes)
  const id = useId()
  const save = useMutation({
    mutationFn: async () => {
      const words = tags.split(/[\s,]+/).filter((tag) => tag !== '')
      const change = { tags: [...new Set(words)], notes: notes.trim() }
      await hub.updateSnapshot(snapshot.name, name === snapshot.name ? change : { ...change, new_name: name })
      await onSaved()
    },
    onSuccess: onClose,
  })
  const badName = nameProblem(
    name,
    taken.filter((other) => other !== snapshot.name),
  )
  return (
    <Dialog
      title={`Edit the snapshot ${snapshot.name}`}
      onClose={onClose}
      onSubmit={() => {
        if (!badName && !save.isPending) save.mutate()
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-name`}>Name</label>
        <input
          id={`${id}-name`}
          className="input mono"
          value={name}
          aria-invalid={badName !== undefined}
          aria-describedby={badName ? `${id}-bad` : undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
        />
        {badName && (
          <p id={`${id}-bad`} className="field-error">
            {badName}
          </p>
        )}
      </div>
      <div className="field">
        <label htmlFor={`${id}-tags`}>Tags</label>
        <input
          id={`${id}-tags`}
          className="input"
          value={tags}
          aria-describedby={`${id}-keep`}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTags(event.target.value)}
        />
        <p id={`${id}-keep`} className="soft">
          Separated by commas. One tagged <code>keep</code> is not removed for its age.
        </p>
      </div>
      <div className="field">
        <label htmlFor={`${id}-notes`}>Notes</label>
        <textarea
          id={`${id}-notes`}
          className="input"
          rows={4}
          value={notes}
          onChange={(event) => setNotes(event.target.value)}
        />
      </div>
      {save.error && <ProblemNote problem={save.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} reason={badName}>
          Save
        </Button>
      </div>
    </Dialog>
  )
}
