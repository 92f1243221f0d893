import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { hub } from '../../client/hub.ts'
import { count } from '../../format/amount.ts'
import { dateTime } from '../../format/time.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'

type Run = Awaited<ReturnType<typeof hub.agentHistory>>['history'][number]

const SHOWN = 50

/** What an agent did since the hub started; asked for when it is opened. */
export function AgentHistory({ name }: { readonly name: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['agent-history', name],
    queryFn: ({ signal }) => hub.agentHistory(name, signal),
    enabled: isOpen,
    refetchInterval: 5000,
  })
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>History of {name}</summary>
      {error && <ProblemNote problem={error} />}
      {data?.history.length === 0 && <p className="soft">Nothing since the hub started.</p>}
      <ul className="settings-list">
        {data?.history.slice(0, SHOWN).map((run) => (
          <li key={`${run.at} ${run.kind}`}>
            <time className="mono" dateTime={run.at}>
              {dateTime(Date.parse(run.at))}
            </time>
            <span className={`badge ${run.kind === 'failed' ? 'bad' : ''}`}>{run.kind}</span>
            <span className="soft">{textOf(run)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}

function textOf({ kind, detail = '', matched = 0, lost = 0, done = 0, failed = 0 }: Run): string {
  if (kind !== 'matched') return detail
  const lossText = lost > 0 ? `, ${count(lost)} lost` : ''
  return `${count(matched)} calls in a minute${lossText}: ${count(done)} done, ${count(failed)} failed`
}
