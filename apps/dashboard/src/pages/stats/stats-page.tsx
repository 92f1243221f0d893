import { useCallback } from 'react'
import { groupings, isGrouping } from '../../address/grouping.ts'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { useStats } from '../../client/use-hub.ts'
import { countOf } from '../../format/amount.ts'
import { incompleteLine } from '../../format/gap-line.ts'
import { dateTime } from '../../format/time.ts'
import { FilterBox } from '../../kfl/filter-box.tsx'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { TimeStrip } from '../../timeline/time-strip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MissingNodes } from '../../ui/missing-nodes.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { NoLive } from '../calls/no-live.tsx'
import { SourceSelect } from '../calls/source-select.tsx'
import { NoCalls } from '../no-calls.tsx'
import { StatsTable } from './stats-table.tsx'

/** Where the calls go, how many fail and how long they take, by service or another group. */
export function StatsPage() {
  const address = useAddress()
  const { db: chosen, kfl, by, start, end, last } = address
  // The recording can be searched, but has no index to count in.
  const db = chosen === 'recording' ? undefined : chosen
  const caller = useCaller()
  const session = useSession()
  const feed = useStore(session.feed)
  const isPaused = useStore(session.switch)?.enabled === false
  const seen = useCallback(() => feed.list.newest(1000), [feed])
  const mayWatch = db !== undefined || caller.can('dissection:live')
  const { data, error, isPlaceholderData } = useStats({ db, kfl, by, start, end, last }, mayWatch)
  return (
    <main className="calls stats">
      <div className="toolbar">
        <SourceSelect db={db} />
        <FilterBox applied={kfl} onApply={(next) => go({ kfl: next })} seen={seen} db={db} />
        <select
          className="select grouping"
          aria-label="Group by"
          value={by}
          onChange={(event) => isGrouping(event.target.value) && go({ by: event.target.value })}
        >
          {groupings.map(([name, title]) => (
            <option key={name} value={name}>
              By {title}
            </option>
          ))}
        </select>
      </div>
      {mayWatch && <TimeStrip address={{ ...address, db }} />}
      {!mayWatch ? (
        <NoLive />
      ) : error && !data ? (
        <div className="empty">
          <ProblemNote problem={error} />
        </div>
      ) : !data ? (
        <div className="empty">
          <span className="spinner" />
          <p>Counting calls…</p>
        </div>
      ) : (
        <>
          <p className="list-note" role="status">
            {countOf(data.groups.length, 'group')}
            {db === undefined && isPaused && (
              <span className="badge warn">Indexing is paused: these are earlier calls</span>
            )}
            {data.incomplete && (
              <span className="badge warn" title={data.incomplete.map(incompleteLine).join('\n')}>
                <Icon name="warning" size={11} />
                {data.incomplete.some(({ kind }) => kind === 'not_recorded')
                  ? 'Some times were not recorded: there were more calls'
                  : 'Some times are not indexed: there were more calls'}
              </span>
            )}
            {data.counted_from_at !== undefined && (
              <span
                className="badge warn"
                title="The filter reads payloads, of more calls than one answer may read. Filter by peers or time as well."
              >
                only calls since {dateTime(Date.parse(data.counted_from_at))}
              </span>
            )}
            <MissingNodes nodes={data.missing_nodes} />
            {error && <span className="badge bad">{error.message}</span>}
          </p>
          {data.groups.length === 0 ? (
            <NoCalls
              icon="bars"
              what="Here are calls, errors, rates and latencies of each service, or by another group."
              docs="dashboard:stats"
              db={db}
              kfl={kfl}
            />
          ) : (
            <StatsTable groups={data.groups} by={by} db={db} kfl={kfl} isStale={isPlaceholderData} />
          )}
        </>
      )}
    </main>
  )
}
