import { useCallback, useMemo, useState } from 'react'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { useTopology } from '../../client/use-hub.ts'
import { countOf } from '../../format/amount.ts'
import { incompleteLine } from '../../format/gap-line.ts'
import { FilterBox } from '../../kfl/filter-box.tsx'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { TimeStrip } from '../../timeline/time-strip.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MissingNodes } from '../../ui/missing-nodes.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { NoLive } from '../calls/no-live.tsx'
import { SourceSelect } from '../calls/source-select.tsx'
import { NoCalls } from '../no-calls.tsx'
import { edgeColumns } from './edge-columns.tsx'
import { MapCanvas } from './map-canvas.tsx'
import { MapCard } from './map-card.tsx'
import { type MapChoice, readMapChoice, writeMapChoice } from './map-choice.ts'
import { MapControls } from './map-controls.tsx'
import { type MapEdge, type MapGraph, type MapNode, mapGraph } from './map-graph.ts'

const nothing: MapGraph = { nodes: [], edges: [], protocols: [] }

/** Who calls whom, and where it fails or is slow. */
export function MapPage() {
  const address = useAddress()
  const db = address.db === 'recording' ? undefined : address.db
  const { kfl, start, end, last, find } = address
  const choice = useMemo(() => readMapChoice(address.map), [address.map])
  const caller = useCaller()
  const feed = useStore(useSession().feed)
  const seen = useCallback(() => feed.list.newest(1000), [feed])
  const mayWatch = db !== undefined || caller.can('dissection:live')
  const { level, compare } = choice
  const { data, error } = useTopology({ db, kfl, start, end, last, level, compare }, mayWatch)
  const graph = useMemo(() => (data ? mapGraph(data, choice) : nothing), [data, choice])
  const names = useMemo(() => new Map(graph.nodes.map(({ id, name }) => [id, name])), [graph])
  const nameOf = useCallback((id: string) => names.get(id) ?? id, [names])
  const found = useMemo(() => foundIn(graph, find), [graph, find])
  const [hovered, setHovered] = useState<MapNode | MapEdge>()

  const choose = (change: Partial<MapChoice>) => go({ map: writeMapChoice({ ...choice, ...change }) })
  const openEdge = (edge: MapEdge) => {
    if (edge.kfl === undefined) return
    const clause = kfl === '' ? edge.kfl : `(${kfl}) and (${edge.kfl})`
    go({ view: 'calls', db, kfl: clause, find: '', call: undefined })
  }
  const focusFound = () => {
    const [first] = found ?? []
    if (first !== undefined) choose({ focus: first })
  }
  const columns = edgeColumns(nameOf, openEdge)

  return (
    <main className="calls map">
      <div className="toolbar">
        <SourceSelect db={db} />
        <FilterBox applied={kfl} onApply={(next) => go({ kfl: next })} seen={seen} db={db} />
        <input
          className="input find-node"
          type="search"
          aria-label="Find on the map"
          placeholder="Find on the map"
          value={find}
          onChange={(event) => go({ find: event.target.value })}
          onKeyDown={(event) => event.key === 'Enter' && focusFound()}
        />
      </div>
      {!mayWatch ? (
        <NoLive />
      ) : (
        <>
          <TimeStrip address={{ ...address, db }} />
          <MapControls
            choice={choice}
            protocols={graph.protocols}
            focusName={choice.focus && nameOf(choice.focus)}
            onChoice={choose}
          />
          <p className="list-note view-note" role="status">
            {data
              ? `${countOf(graph.nodes.length, level)}, ${countOf(graph.edges.length, 'edge')}`
              : !error && 'Loading…'}
            {data?.omitted && (
              <span className="badge warn" title={data.omitted.hint}>
                <Icon name="warning" size={11} />
                {countOf(data.omitted.edges, 'edge')} with few calls left out
              </span>
            )}
            {data?.incomplete && (
              <span className="badge warn" title={data.incomplete.map(incompleteLine).join('\n')}>
                <Icon name="warning" size={11} />
                incomplete
              </span>
            )}
            <MissingNodes nodes={data?.missing_nodes} />
            {error && data && <span className="badge bad">{error.message}</span>}
          </p>
          {error && !data ? (
            <div className="empty">
              <ProblemNote problem={error} />
            </div>
          ) : data && graph.nodes.length === 0 ? (
            <NoCalls
              icon="map"
              what="Here is who calls whom, how often, how fast, and what fails."
              docs="dashboard:map"
              db={db}
              kfl={kfl}
            />
          ) : choice.asTable ? (
            <DataTable
              label="Edges"
              rows={graph.edges}
              columns={columns}
              keyOf={({ id }) => id}
              sortedBy={compare ? 'changes' : 'calls'}
            />
          ) : (
            <section className="map-stage" aria-label="Map">
              <MapCanvas
                graph={graph}
                byNs={choice.byNs}
                isCompared={compare}
                found={found}
                fitKey={`${level} ${choice.focus ?? ''} ${choice.byNs} ${choice.outside}`}
                label={`Map of ${countOf(graph.nodes.length, level)} and ${countOf(graph.edges.length, 'edge')}. The table has the same figures.`}
                onHover={setHovered}
                onNode={(node) => choose({ focus: choice.focus === node.id ? undefined : node.id })}
                onEdge={openEdge}
              />
              {hovered && <MapCard thing={hovered} nameOf={nameOf} />}
            </section>
          )}
        </>
      )}
    </main>
  )
}

function foundIn({ nodes }: MapGraph, find: string): ReadonlySet<string> | undefined {
  const words = find.trim().toLowerCase()
  if (words === '') return undefined
  return new Set(
    nodes.filter(({ name, ns }) => `${ns ?? ''}/${name}`.toLowerCase().includes(words)).map(({ id }) => id),
  )
}
