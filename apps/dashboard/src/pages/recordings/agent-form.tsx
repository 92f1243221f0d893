import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Agent, hub } from '../../client/hub.ts'
import { useKflCheck } from '../../client/use-hub.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { nameProblem } from '../snapshots/thing-name.ts'
import { type ActionKind, actionKinds, draftAction } from './draft-action.ts'

/** Makes an agent, or edits the filter and the actions of one. Actions of now keep their secrets. */
export function AgentForm({ agent, onClose }: { readonly agent?: Agent; readonly onClose: () => void }) {
  const id = useId()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [kfl, setKfl] = useState(agent?.kfl ?? '')
  const [kept, setKept] = useState(agent?.actions.map(({ kind }, at) => ({ kind, at })) ?? [])
  const [adding, setAdding] = useState<ActionKind | 'nothing'>(agent ? 'nothing' : 'log')
  const [value, setValue] = useState('')
  const rested = useDebounced(kfl, 400)
  const check = useKflCheck(rested).data
  const badFilter = kfl !== '' && rested === kfl && check?.valid === false ? check.message : undefined
  const draft = adding === 'nothing' ? undefined : draftAction(adding, value)
  const bad =
    (agent ? undefined : nameProblem(name, [])) ??
    badFilter ??
    draft?.problem ??
    (kept.length === 0 && !draft ? 'Add an action.' : undefined)
  const save = useMutation({
    mutationFn: () => {
      const added = draft?.action ? [draft.action] : []
      return agent
        ? hub.updateAgent({
            name: agent.name,
            kfl,
            actions: [...kept.map(({ at }) => ({ kind: 'keep' as const, action: at })), ...added],
          })
        : hub.createAgent({ name, kfl, actions: added })
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['agents'] }).then(onClose),
  })
  const kind = actionKinds.find((one) => one.kind === adding)
  return (
    <Dialog
      title={agent ? `Edit the agent ${agent.name}` : 'New network agent'}
      onClose={onClose}
      onSubmit={() => {
        if (!bad && !save.isPending) save.mutate()
      }}
    >
      {!agent && (
        <div className="field">
          <label htmlFor={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            className="input mono"
            value={name}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
        </div>
      )}
      <div className="field">
        <label htmlFor={`${id}-kfl`}>Filter</label>
        <input
          id={`${id}-kfl`}
          className="input mono"
          value={kfl}
          placeholder="all calls"
          aria-invalid={badFilter !== undefined}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setKfl(target.value)}
        />
        {badFilter && <p className="field-error">{badFilter}</p>}
      </div>
      {kept.length > 0 && (
        <ul className="settings-list" aria-label="Actions">
          {kept.map(({ kind: held, at }) => (
            <li key={at}>
              <b>{held}</b>
              <Button
                look="bare"
                label={`Remove the action ${held}`}
                onClick={() => setKept(kept.filter((one) => one.at !== at))}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="field">
        <label htmlFor={`${id}-kind`}>Add an action</label>
        <select
          id={`${id}-kind`}
          className="input"
          value={adding}
          onChange={({ target }) =>
            setAdding(actionKinds.find((one) => one.kind === target.value)?.kind ?? 'nothing')
          }
        >
          <option value="nothing">nothing</option>
          {actionKinds.map((one) => (
            <option key={one.kind} value={one.kind}>
              {one.title}
            </option>
          ))}
        </select>
      </div>
      {kind?.asks && (
        <div className="field">
          <label htmlFor={`${id}-value`}>{kind.asks}</label>
          <input
            id={`${id}-value`}
            className="input mono"
            value={value}
            placeholder={kind.example}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setValue(target.value)}
          />
        </div>
      )}
      {save.error && <ProblemNote problem={save.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} reason={bad}>
          {agent ? 'Save' : 'Create'}
        </Button>
      </div>
    </Dialog>
  )
}
