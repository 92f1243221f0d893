import { formatBytes } from '@tapdeck/units'
import { useCaller } from '../../client/caller.ts'
import { useBoundaries, useStatus } from '../../client/use-hub.ts'
import { DocsLink } from '../../docs/docs-link.tsx'
import { count, countOf, rate } from '../../format/amount.ts'
import { span } from '../../format/duration.ts'
import { gapLine } from '../../format/gap-line.ts'
import { dateTime, timeWindow } from '../../format/time.ts'
import { Empty } from '../../hints/empty.tsx'
import { lossEntries } from '../../live/loss-ledger.ts'
import type { NodeReport } from '../../live/session.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { LostWhere } from '../snapshots/lost-where.tsx'
import { type MissingNode, nodeConditions, withoutWorker } from './node-state.ts'
import { type NodeRates, useNodeRates } from './use-node-rates.ts'

type Boundary = NonNullable<ReturnType<typeof useBoundaries>['data']>['nodes'][number]

/** Each node: what it does, what it does not and why, how far back its recording ring reaches, and what was lost. */
export function NodesPage() {
  const session = useSession()
  const caller = useCaller()
  const nodes = useStore(session.nodes)
  const enabled = useStore(session.switch)?.enabled
  const { data: boundaries, error } = useBoundaries(caller.can('snapshot:read'))
  const status = useStatus().data
  const rates = useNodeRates(nodes)
  const recorded = new Map(boundaries?.nodes.map((node) => [node.name, node]))
  const workerless = withoutWorker(nodes, status?.missing_nodes)
  const excluded = withoutWorker(nodes, status?.excluded_nodes)
  const absent = [...(status?.missing_nodes ?? []), ...(status?.excluded_nodes ?? [])]
  return (
    <main className="nodes">
      <h2>
        {countOf(nodes.length, 'node')}
        {workerless.length > 0 && `, and ${workerless.length} without a worker`}
        {excluded.length > 0 && `, and ${excluded.length} excluded by configuration`}
        {status && (
          <span className="soft">
            {' '}
            hub {status.version}, started {dateTime(Date.parse(status.started_at))}
          </span>
        )}
      </h2>
      {error && <ProblemNote problem={error} />}
      {status?.restart_needed?.map(({ key, reason }) => (
        <ProblemNote key={key} problem={new Error(`${key} changed and needs a restart: ${reason}`)} />
      ))}
      {nodes.length === 0 && (
        <Empty icon="nodes" title="No node is connected" docs="getting-started:start-it-differently">
          <p>Here is what each node captures, records and indexes, and what it lost.</p>
          <p>
            Start a worker with <code>tapdeck worker</code>, or check the address of the hub in its
            configuration.
          </p>
        </Empty>
      )}
      <ul className="node-list">
        {nodes.map((node) => (
          <li key={node.name}>
            <NodeCard
              node={node}
              enabled={enabled}
              rates={rates.get(node.name)}
              recorded={recorded.get(node.name)}
              isOther={status !== undefined && node.version !== status.version}
              absence={absent.find(({ name }) => name === node.name)?.reason}
            />
          </li>
        ))}
        {workerless.map((node) => (
          <AbsentNode key={node.name} node={node} state="no worker" tone="bad" />
        ))}
        {excluded.map((node) => (
          <AbsentNode key={node.name} node={node} state="excluded" tone="warn" />
        ))}
      </ul>
      {status?.kubernetes && (
        <section className="snapshot" aria-label="Cluster">
          <h3>Cluster {status.kubernetes.server}</h3>
          <ul className="snapshot-facts">
            {status.kubernetes.kinds.map(({ resource, state, reason, objects }) => (
              <li key={resource} title={reason}>
                {resource}: {count(objects)}{' '}
                <span className={`badge ${state === 'watching' ? 'good' : 'warn'}`}>{state}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  )
}

interface AbsentNodeProps {
  readonly node: MissingNode
  readonly state: string
  readonly tone: 'warn' | 'bad'
}

function AbsentNode({ node: { name, reason }, state, tone }: AbsentNodeProps) {
  return (
    <li>
      <article className="snapshot node" aria-label={`Node ${name}`}>
        <header>
          <h3 className="mono">{name}</h3>
          <span className={`badge ${tone}`}>{state}</span>
        </header>
        <p className={`node-reason ${tone}`}>
          <Icon name="warning" size={13} />
          <span>
            <b>{state}</b>: {reason} <DocsLink to="missing-data:missing-nodes">Missing nodes</DocsLink>
          </span>
        </p>
      </article>
    </li>
  )
}

interface NodeCardProps {
  readonly node: NodeReport
  readonly enabled: boolean | undefined
  readonly rates: NodeRates | undefined
  readonly recorded: Boundary | undefined
  /** Another version than that of the hub. */
  readonly isOther: boolean
  /** Why its worker is not connected. */
  readonly absence: string | undefined
}

function NodeCard({ node, enabled, rates, recorded, isOther, absence }: NodeCardProps) {
  const conditions = nodeConditions(node, enabled, absence)
  const losses = lossEntries(node.loss)
  return (
    <article className="snapshot node" aria-label={`Node ${node.name}`}>
      <header>
        <h3 className="mono">{node.name}</h3>
        {conditions.map(({ tone, text }) => (
          <span key={text} className={`badge ${tone}`}>
            {text}
          </span>
        ))}
        <span className="actions soft">
          version {node.version}
          {isOther && <span className="badge warn">not the version of the hub</span>}
        </span>
      </header>
      {conditions.map(
        ({ tone, text, reason }) =>
          tone !== 'good' && (
            <p key={text} className={`node-reason ${tone}`}>
              <Icon name="warning" size={13} />
              <span>
                <b>{text}</b>: {reason} <DocsLink to="missing-data:reasons-of-gaps">Reasons</DocsLink>
              </span>
            </p>
          ),
      )}
      <dl className="node-facts">
        <Figure title="Packets/s" value={rates?.packets === undefined ? '–' : rate(rates.packets)} />
        <Figure title="Calls/s" value={rates?.calls === undefined ? '–' : rate(rates.calls)} />
        <Figure title="CPU" value={rates?.cpu === undefined ? '–' : `${Math.round(rates.cpu)} %`} />
        <Figure title="Memory" value={node.process ? formatBytes(node.process.memory_bytes) : '–'} />
        <Figure title="Packets captured" value={count(node.packets_captured)} />
        <Figure title="Dissected" value={count(node.packets_dissected)} />
        <Figure title="Calls indexed" value={count(node.calls + (node.backfill?.calls ?? 0))} />
        <Figure title="Interfaces" value={node.capture.interfaces.join(', ') || '–'} />
      </dl>
      {recorded && <Ring recorded={recorded} />}
      {node.backfill?.running && (
        <p className="soft">
          Indexing what was recorded from {timeWindow(node.backfill.from_ts, node.backfill.to_ts)}:{' '}
          {countOf(node.backfill.calls, 'call')} so far.
        </p>
      )}
      {losses.length === 0 ? (
        <p className="soft">Nothing was lost or damaged since the start.</p>
      ) : (
        <ul className="node-losses" aria-label="Lost or damaged since the start">
          <li className="soft">Since the start:</li>
          {losses.map(({ kind, count: lost, text, grave }) => (
            <li key={kind} className={grave ? 'grave' : undefined}>
              <b>{count(lost)}</b> {text}
            </li>
          ))}
        </ul>
      )}
    </article>
  )
}

function Figure({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function Ring({ recorded }: { readonly recorded: Boundary }) {
  const { oldest_ts, newest_ts, size_bytes, packet_count, dropped_packets, drops, gaps = [] } = recorded
  if (oldest_ts === null || newest_ts === null) return <p className="soft">Nothing is recorded yet.</p>
  return (
    <div className="node-ring">
      <p>
        Recording ring: <b>{span(newest_ts - oldest_ts)}</b> back, {formatBytes(size_bytes)} on disk,{' '}
        {countOf(packet_count, 'packet')}
      </p>
      <p className="soft mono">{timeWindow(oldest_ts, newest_ts)}</p>
      {dropped_packets > 0 && (
        <p className="node-reason warn">
          <Icon name="warning" size={13} />
          <span>
            {countOf(dropped_packets, 'packet')} dropped in this time
            <LostWhere drops={drops} />
          </span>
        </p>
      )}
      {gaps.length > 0 && (
        <details>
          <summary className="soft">{countOf(gaps.length, 'gap')}</summary>
          <ul>
            {gaps.map((gap) => (
              <li key={`${gap.from_ts}`} className="soft">
                {gapLine(gap)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
