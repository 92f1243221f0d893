import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { type Agent, hub } from '../../client/hub.ts'
import { count } from '../../format/amount.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { DeleteDialog } from '../snapshots/delete-dialog.tsx'
import { AgentForm } from './agent-form.tsx'
import { AgentHistory } from './agent-history.tsx'

const looks: Readonly<Record<Agent['status'], string>> = { active: 'good', disabled: '', failed: 'bad' }

export function AgentCard({ agent }: { readonly agent: Agent }) {
  const { name, status, kfl, kfl_withheld, reason, matched, lost, actions } = agent
  const caller = useCaller()
  const queries = useQueryClient()
  const [isDeleting, setIsDeleting] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: ['agents'] })
  const test = useMutation({
    mutationFn: () => hub.testAgent(name),
    onSettled: () => queries.invalidateQueries({ queryKey: ['agent-history', name] }),
  })
  const isOn = status === 'active'
  const turn = useMutation({ mutationFn: () => hub.turnAgent(name, !isOn), onSettled: refresh })
  return (
    <article className="snapshot" aria-label={`Network agent ${name}`}>
      <header>
        <h3 className="mono">{name}</h3>
        <span className="badge">agent</span>
        <span className={`badge ${looks[status]}`}>{status}</span>
        <span className="actions">
          <Button
            label={`Test the agent ${name}`}
            reason={caller.reasonAgainst('settings:write')}
            busy={test.isPending}
            onClick={() => test.mutate()}
          >
            Test
          </Button>
          <Button
            icon="edit"
            label={`Edit the agent ${name}`}
            reason={caller.reasonAgainst('settings:write')}
            onClick={() => setIsEditing(true)}
          >
            Edit
          </Button>
          <Button
            icon={isOn ? 'stop' : 'play'}
            label={`${isOn ? 'Disable' : 'Enable'} the agent ${name}`}
            reason={caller.reasonAgainst('settings:write')}
            busy={turn.isPending}
            onClick={() => turn.mutate()}
          >
            {isOn ? 'Disable' : 'Enable'}
          </Button>
          <Button
            icon="trash"
            look="bare"
            reason={caller.reasonAgainst('settings:write')}
            label={`Delete the agent ${name}`}
            onClick={() => setIsDeleting(true)}
          >
            Delete
          </Button>
        </span>
      </header>
      <ul className="snapshot-facts">
        {kfl && <li className="mono">{kfl}</li>}
        {kfl_withheld && <li className="soft">Filter {kfl_withheld}</li>}
        <li>{count(matched)} matched</li>
        {lost > 0 && <li>{count(lost)} lost</li>}
        {actions.map((action, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: actions of an agent never change their places
          <li key={at} title={action.last_error}>
            {action.kind}: {count(action.done)} done
            {action.failed > 0 && `, ${count(action.failed)} failed`}
            {action.dropped > 0 && `, ${count(action.dropped)} dropped`}
          </li>
        ))}
      </ul>
      {test.data && (
        <ul className="settings-list" aria-label={`Test of the agent ${name}`}>
          {test.data.actions.map(({ kind, result, detail }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: actions of a test never change their places
            <li key={at}>
              <b>{kind}</b>
              <span className={`badge ${result === 'failed' ? 'bad' : 'good'}`}>{result}</span>
              <span className="soft">{detail}</span>
            </li>
          ))}
        </ul>
      )}
      {test.error && <ProblemNote problem={test.error} />}
      <AgentHistory name={name} />
      {isEditing && <AgentForm agent={agent} onClose={() => setIsEditing(false)} />}
      {reason && <ProblemNote problem={new Error(reason)} />}
      {turn.error && <ProblemNote problem={turn.error} />}
      {isDeleting && (
        <DeleteDialog
          thing={`the network agent ${name}`}
          consequence="It watches no more, and what it counted is forgotten."
          onDelete={() => hub.deleteAgent(name).then(refresh)}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </article>
  )
}
