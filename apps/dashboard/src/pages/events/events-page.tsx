import { useMemo } from 'react'
import { eventKinds, eventQuestion, isEventKind } from '../../address/event-kind.ts'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { useEvents } from '../../client/use-hub.ts'
import { count } from '../../format/amount.ts'
import { datedTime, utcTime } from '../../format/time.ts'
import { Empty } from '../../hints/empty.tsx'
import { TimeStrip } from '../../timeline/time-strip.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { NoLive } from '../calls/no-live.tsx'
import { SourceSelect } from '../calls/source-select.tsx'
import { EventMarks } from './event-marks.tsx'
import { detailOf, type RecordedEvent, subjectOf, toneOf } from './event-row.ts'

const kindTitles = {
  all: 'All events',
  cluster: 'Cluster',
  os: 'Operating system',
  process_start: 'Process starts',
  process_exit: 'Process ends',
  connection_open: 'Connections opened',
  listen_open: 'Ports opened',
} as const

/** What happened in the cluster and on its nodes, on the same time axis as the calls. */
export function EventsPage() {
  const address = useAddress()
  const db = address.db === 'recording' ? undefined : address.db
  const { start, end, last, kind } = address
  const find = useDebounced(address.find.trim(), 300)
  const caller = useCaller()
  const mayWatch = db !== undefined || caller.can('dissection:live')
  const query = useEvents({ db, start, end, last, ...eventQuestion(kind), name: find }, mayWatch)
  const { data, error } = query
  const events = useMemo(() => data?.pages.flatMap(({ page }) => page.events) ?? [], [data])
  const first = data?.pages[0]
  const window = first?.window
  return (
    <main className="calls events">
      <div className="toolbar">
        <SourceSelect db={db} />
        <select
          className="select grouping"
          aria-label="Kind of events"
          value={kind}
          onChange={({ target }) => isEventKind(target.value) && go({ kind: target.value })}
        >
          {eventKinds.map((each) => (
            <option key={each} value={each}>
              {kindTitles[each]}
            </option>
          ))}
        </select>
        <input
          className="input find"
          type="search"
          aria-label="Find events"
          placeholder="Find by pod, service, process or node"
          value={address.find}
          onChange={(event) => go({ find: event.target.value })}
        />
      </div>
      {!mayWatch ? (
        <NoLive />
      ) : (
        <>
          <TimeStrip address={{ ...address, db, kfl: '' }} />
          {window?.start !== undefined && window.end !== undefined && (
            <EventMarks
              events={events}
              window={{ start: window.start, end: window.end }}
              hasOlder={query.hasNextPage}
            />
          )}
          <p className="list-note view-note" role="status">
            {first ? `${count(events.length)} of ${count(first.page.total)} events loaded` : 'Loading…'}
            {first?.page.unavailable?.map(({ node, reason }) => (
              <span key={node} className="badge warn" title={reason}>
                <Icon name="warning" size={11} />
                incomplete on {node}
              </span>
            ))}
          </p>
          {error && !data ? (
            <div className="empty">
              <ProblemNote problem={error} />
            </div>
          ) : first && events.length === 0 ? (
            <Empty icon="bell" title="No events in this time" docs="events">
              <p>
                Here is what happened to pods and processes: starts, ends, kills, changed configuration.
                Cluster events need a watched cluster; those of the operating system need a worker that may
                read them.
              </p>
              <p>Choose a longer time above. The badge above says if a node cannot give its events.</p>
            </Empty>
          ) : (
            <EventTable events={events}>
              {query.hasNextPage && (
                <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  Load older events
                </Button>
              )}
            </EventTable>
          )}
        </>
      )}
    </main>
  )
}

function EventTable({ events, children }: { events: readonly RecordedEvent[]; children: React.ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="stats-table data-table event-table" tabIndex={0} aria-label="Events">
      <table>
        <thead>
          <tr>
            {['Time', 'Kind', 'Event', 'Who', 'Node', 'Details'].map((title) => (
              <th key={title} scope="col" className="text">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.map((event, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: events have no other identity than their place
            <tr key={index}>
              <th scope="row" className="text" title={utcTime(event.ts)}>
                {datedTime(event.ts)}
              </th>
              <td className="text">{event.kind}</td>
              <td className={`text tone-${toneOf(event)}`}>{event.type.replaceAll('_', ' ')}</td>
              <td className="text">{subjectOf(event)}</td>
              <td className="text">{event.node}</td>
              <td className="text detail" title={detailOf(event)}>
                {detailOf(event)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </section>
  )
}
