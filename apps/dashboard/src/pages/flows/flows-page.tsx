import { useMemo } from 'react'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { useFlows } from '../../client/use-hub.ts'
import { countOf } from '../../format/amount.ts'
import { Empty } from '../../hints/empty.tsx'
import { TimeStrip } from '../../timeline/time-strip.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { MissingNodes } from '../../ui/missing-nodes.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { NoLive } from '../calls/no-live.tsx'
import { SourceSelect } from '../calls/source-select.tsx'
import { flowColumns } from './flow-columns.tsx'
import { type Flow, flowPeerName } from './flow-filter.ts'

/** Who talks to whom below the protocols: packets, bytes and TCP handshakes, also of traffic that is no call. */
export function FlowsPage() {
  const address = useAddress()
  const db = address.db === 'recording' ? undefined : address.db
  const { start, end, last, find } = address
  const caller = useCaller()
  const mayWatch = db !== undefined || caller.can('dissection:live')
  const { data, error, isPlaceholderData } = useFlows({ db, start, end, last }, mayWatch)
  const rows = useMemo(() => (data?.flows ?? []).filter((flow) => isFound(flow, find)), [data, find])
  return (
    <main className="calls">
      <div className="toolbar">
        <SourceSelect db={db} />
        <input
          className="input find"
          type="search"
          aria-label="Find flows"
          placeholder="Find by name, address or protocol"
          value={find}
          onChange={(event) => go({ find: event.target.value })}
        />
      </div>
      {!mayWatch ? (
        <NoLive />
      ) : (
        <>
          <TimeStrip address={{ ...address, db, kfl: '' }} />
          {error && !data ? (
            <div className="empty">
              <ProblemNote problem={error} />
            </div>
          ) : (
            <>
              <p className="list-note view-note" role="status">
                {data
                  ? `${countOf(rows.length, 'flow')}${data.truncated ? ', the largest' : ''}`
                  : 'Loading…'}
                <MissingNodes nodes={data?.missing_nodes} />
                {error && <span className="badge bad">{error.message}</span>}
              </p>
              {data && rows.length === 0 ? (
                <Empty
                  icon="flows"
                  title={find === '' ? 'No flows in this time' : 'No flow matches'}
                  docs="dashboard:flows"
                >
                  <p>
                    Here is who sends packets to whom, also of traffic that is no call. A flow is counted in a
                    window if it has packets in it.
                  </p>
                  {find === '' ? (
                    <p>Choose a longer time above, or resume indexing if it is paused.</p>
                  ) : (
                    <Button icon="close" onClick={() => go({ find: '' })}>
                      Show them all
                    </Button>
                  )}
                </Empty>
              ) : (
                <DataTable
                  label="Flows"
                  rows={rows}
                  columns={flowColumns}
                  keyOf={keyOf}
                  sortedBy="bytes"
                  isStale={isPlaceholderData}
                />
              )}
            </>
          )}
        </>
      )}
    </main>
  )
}

function keyOf({ proto, client, server }: Flow): string {
  return JSON.stringify([proto, client, server])
}

function isFound({ proto, client, server }: Flow, find: string): boolean {
  const words = find.trim().toLowerCase().split(/\s+/)
  const text = [
    proto,
    ...[client, server].flatMap(({ pod, svc, ns, node, ip, port }) => [pod, svc, ns, node, ip, port]),
    flowPeerName(client),
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}
