import { go } from '../../address/use-address.ts'
import { datedTime } from '../../format/time.ts'
import type { TimeWindow } from '../../time/time-window.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import {
  comparedTexts,
  evidenceFilter,
  kindTexts,
  partyName,
  type Suspect,
  severityTones,
} from './suspect-text.ts'
import { VictimList } from './victim-list.tsx'

export interface SuspectCardProps {
  readonly suspect: Suspect
  /** What follows from it. */
  readonly victims: readonly Suspect[]
  /** The filter of the page. */
  readonly kfl: string
  readonly db: string | undefined
  /** The window that was searched; absent: all of a dissection. */
  readonly window: Partial<TimeWindow>
}

/** Something that may be the cause: what, since when, who, how much, what speaks against it, and the calls that show it. */
export function SuspectCard({ suspect, victims, kfl, db, window }: SuspectCardProps) {
  const { rank, kind, severity, what, began_at, client, server, before, after, against } = suspect
  const { title, meaning } = kindTexts[kind]
  const compared = comparedTexts[suspect.compared_with]
  const shown = evidenceFilter(kfl, suspect)
  const open = (call?: string) =>
    go({ view: 'calls', kfl: shown ?? kfl, db, start: window.start, end: window.end, call, find: '' })
  return (
    <article className={`snapshot suspect ${severity}`} id={`suspect-${rank}`} aria-label={`Suspect ${rank}`}>
      <header>
        <b className="rank">{rank}</b>
        <span className={`badge ${severityTones[severity]}`}>{severity}</span>
        <span className="badge" title={meaning}>
          {title}
        </span>
        {began_at !== undefined && (
          <span className="soft since">
            since <time dateTime={began_at}>{datedTime(Date.parse(began_at))}</time>
          </span>
        )}
      </header>
      <h3>{what}</h3>
      {suspect.impact && <p className="impact">{suspect.impact.text}</p>}
      {(client ?? server) && (
        <p className="mono parties">
          {client && <span>{partyName(client)}</span>}
          {client && server && <Icon name="right" size={12} />}
          {server && <span>{partyName(server)}</span>}
        </p>
      )}
      <p className="how-much">
        {before !== undefined && (
          <>
            <span className="soft">{compared}</span> {before} <Icon name="right" size={12} />{' '}
            <span className="soft">now</span>{' '}
          </>
        )}
        <b>{after}</b>
      </p>
      <p className="soft">{meaning}</p>
      {suspect.idle_before_ms && (
        <p className="soft">
          The broken connections had been idle for {suspect.idle_before_ms.map(seconds).join(', ')}.
        </p>
      )}
      {against.length > 0 && (
        <div className="against">
          <b>Against it</b>
          <ul>
            {against.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        </div>
      )}
      {victims.length > 0 && <VictimList victims={victims} kfl={kfl} db={db} window={window} />}
      <div className="evidence">
        <Button
          icon="wave"
          label={`Its calls: suspect ${rank}`}
          title={shown}
          reason={shown === undefined ? 'No call shows it: see the events of that time.' : undefined}
          onClick={() => open()}
        >
          Its calls
        </Button>
        {suspect.evidence.map((id, at) => (
          <Button key={id} look="bare" label={`Call ${at + 1} of suspect ${rank}`} onClick={() => open(id)}>
            Call {at + 1}
          </Button>
        ))}
        {(kind === 'restart' || kind === 'rollout') && (
          <Button look="bare" icon="bell" onClick={() => go({ view: 'events', find: '', call: undefined })}>
            Events of this time
          </Button>
        )}
      </div>
      {shown !== undefined && <code className="evidence-filter">{shown}</code>}
    </article>
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
