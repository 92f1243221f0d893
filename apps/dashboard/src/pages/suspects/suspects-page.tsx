import { useCallback } from 'react'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { useSuspects } from '../../client/use-hub.ts'
import { countOf } from '../../format/amount.ts'
import { incompleteLine } from '../../format/gap-line.ts'
import { timeWindow } from '../../format/time.ts'
import { Empty } from '../../hints/empty.tsx'
import { FilterBox } from '../../kfl/filter-box.tsx'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { TimeStrip } from '../../timeline/time-strip.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MissingNodes } from '../../ui/missing-nodes.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { NoLive } from '../calls/no-live.tsx'
import { SourceSelect } from '../calls/source-select.tsx'
import { SuspectCard, type SuspectCardProps } from './suspect-card.tsx'
import { groupSuspects, headline, type Suspect, type Suspects } from './suspect-text.ts'

/** What may be the cause of what is slow or fails, the most probable first, each with the calls that show it. */
export function SuspectsPage() {
  const address = useAddress()
  const { kfl, start, end, last, baseline } = address
  // The recording ring can be searched, but has no index to compare.
  const db = address.db === 'recording' ? undefined : address.db
  const caller = useCaller()
  const feed = useStore(useSession().feed)
  const seen = useCallback(() => feed.list.newest(1000), [feed])
  const mayWatch = db !== undefined || caller.can('dissection:live')
  const { data, error, isFetching, refetch } = useSuspects({ db, kfl, start, end, last, baseline }, mayWatch)
  return (
    <main className="calls suspects">
      <div className="toolbar">
        <SourceSelect db={db} />
        <FilterBox applied={kfl} onApply={(next) => go({ kfl: next })} seen={seen} db={db} />
        <select
          className="select grouping"
          aria-label="Compare with"
          value={baseline}
          onChange={({ target }) => go({ baseline: target.value === 'before' ? 'before' : 'change' })}
        >
          <option value="change">Compare with: before the first change</option>
          <option value="before">Compare with: the time before</option>
        </select>
      </div>
      {mayWatch && <TimeStrip address={{ ...address, db }} />}
      {!mayWatch ? (
        <NoLive />
      ) : !data ? (
        <div className="empty">
          {error ? (
            <ProblemNote problem={error} />
          ) : (
            <>
              <span className="spinner" />
              <p>Comparing calls, connections and events…</p>
            </>
          )}
        </div>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="suspect-list" aria-label="Suspects" tabIndex={0}>
          <div className="suspect-head">
            <h2>{headline(data.found)}</h2>
            <Button busy={isFetching} onClick={() => void refetch()}>
              Look again
            </Button>
          </div>
          <Compared found={data.found} />
          {error && <ProblemNote problem={error} />}
          <SuspectCards found={data.found} kfl={kfl} db={db} window={data.window} />
          {data.found.omitted > 0 && (
            <p className="soft">{countOf(data.found.omitted, 'weaker suspect')} not shown.</p>
          )}
          {data.found.suspects.length === 0 && <NothingFound found={data.found} />}
        </section>
      )}
    </main>
  )
}

interface SuspectCardsProps extends Pick<SuspectCardProps, 'kfl' | 'db' | 'window'> {
  readonly found: Suspects
}

/** A card for each cause; what was there before, and notes, folded. */
function SuspectCards({ found: { suspects }, ...shown }: SuspectCardsProps) {
  const { causes, background, notes } = groupSuspects(suspects)
  const cards = (list: readonly Suspect[]) =>
    list.map((suspect) => {
      const victims = suspects.filter(({ rank }) => suspect.victims?.includes(rank))
      return <SuspectCard key={suspect.rank} suspect={suspect} victims={victims} {...shown} />
    })
  const folded = (title: string, list: readonly Suspect[]) =>
    list.length > 0 && (
      <details className="folded" open={causes.length === 0}>
        <summary>{title}</summary>
        {cards(list)}
      </details>
    )
  return (
    <>
      {cards(causes)}
      {folded(`Was so before the change: ${background.length}`, background)}
      {folded(`Notes: ${notes.length}`, notes)}
    </>
  )
}

/** What was compared with what, and what was not seen. */
function Compared({ found }: { readonly found: Suspects }) {
  const { window, baseline, baseline_is, notes = [], incomplete, missing_nodes } = found
  return (
    <ul className="snapshot-facts">
      <li>
        {countOf(window.calls, 'call')}, {spanOf(window)}
      </li>
      {baseline && (
        <li>
          compared with {countOf(baseline.calls, 'call')}, {spanOf(baseline)}
          {baseline_is === 'before_change' && ' (before the first change)'}
        </li>
      )}
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
      {incomplete && incomplete.length > 0 && (
        <li>
          <span className="badge warn" title={incomplete.map(incompleteLine).join('\n')}>
            <Icon name="warning" size={11} />
            Some times are missing: see the hatched times
          </span>
        </li>
      )}
      {missing_nodes && (
        <li>
          <MissingNodes nodes={missing_nodes} />
        </li>
      )}
    </ul>
  )
}

function NothingFound({ found }: { readonly found: Suspects }) {
  return (
    <Empty icon="check" title="Nothing to suspect here" docs="dashboard:suspects">
      <p>Here is what may be the cause of what fails or is slow, with the calls that show it.</p>
      <p>
        {found.window.calls === 0
          ? 'Choose a window with calls: drag in the chart above, or choose a longer time.'
          : found.baseline_is === 'none'
            ? 'A cause is found by comparison. Choose a window that begins before the trouble, or compare with the time before.'
            : 'Calls, latencies, connections and events are as they were. A longer window shows slower changes.'}
      </p>
    </Empty>
  )
}

function spanOf({ start_at, end_at }: Suspects['window']): string {
  return start_at === null || end_at === null
    ? 'no time'
    : timeWindow(Date.parse(start_at), Date.parse(end_at))
}
