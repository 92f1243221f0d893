import './call-details.css'
import { useEffect, useMemo, useRef } from 'react'
import { go } from '../../address/use-address.ts'
import type { CallDetails } from '../../client/call-details.ts'
import { hub } from '../../client/hub.ts'
import { useCall, useKflFields } from '../../client/use-hub.ts'
import { Status } from '../../columns/status.tsx'
import { latency } from '../../format/duration.ts'
import { LivePackets } from '../../keep/live-packets.tsx'
import { withClause } from '../../kfl/clause.ts'
import { ProtocolTag } from '../../protocols/protocol-tag.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { asCurl } from './as-curl.ts'
import { CallView } from './call-view.tsx'
import { FilterContext } from './filter-context.ts'

export interface CallDetailsPanelProps {
  readonly id: string
  readonly db: string | undefined
  readonly kfl: string
  readonly onClose: () => void
}

const MIN_PX = 360
const MAX_DEFAULT_PX = 600
/** What the list keeps beside the details. */
const LIST_PX = 320

export function CallDetailsPanel({ id, db, kfl, onClose }: CallDetailsPanelProps) {
  const { data: call, error, isPlaceholderData } = useCall(id, db)
  const { data: fields = [] } = useKflFields()
  const curl = call && asCurl(call)
  const body = useRef<HTMLDivElement>(null)
  const adder = useMemo(
    () => ({ fields, add: (clause: string) => go({ kfl: withClause(kfl, clause) }) }),
    [fields, kfl],
  )
  const [width, setWidth] = useKept('details-width', defaultWidth(), readWidth)
  const panel = useRef<HTMLElement>(null)
  const closer = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Where there is no room beside the list the panel covers it, and the keys must act on what is seen.
    if (panel.current && getComputedStyle(panel.current).position === 'fixed') closer.current?.focus()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another call begins at its top
  useEffect(() => {
    if (body.current) body.current.scrollTop = 0
  }, [id])
  return (
    <>
      <Splitter
        label="Width of the details"
        width={width}
        min={MIN_PX}
        max={() => Math.max(MIN_PX, innerWidth - LIST_PX)}
        onWidth={setWidth}
      />
      <aside ref={panel} className="details" style={{ flexBasis: width }} aria-label="Details of the call">
        <div className="details-head">
          {call && !error && <Title call={call} />}
          <div className="details-tools">
            {call && !error && (
              <CopyButton text={() => JSON.stringify(call, undefined, 2)}>Copy as JSON</CopyButton>
            )}
            {curl !== undefined && !error && <CopyButton text={() => curl}>Copy as curl</CopyButton>}
            <CopyButton text={() => location.href}>Copy link</CopyButton>
            {db !== undefined && db !== 'recording' && call?.has_pcap === true && !error && (
              <a
                className="button bare"
                href={hub.callPcapAddress(db, id)}
                download
                title="The packets of this call's connection, for Wireshark"
              >
                <Icon name="download" />
                Packets
              </a>
            )}
            {db === undefined && call?.has_pcap === true && !error && <LivePackets call={call} />}
            <span className="grow" />
            <button
              ref={closer}
              type="button"
              className="button bare square"
              aria-label="Close the details"
              onClick={onClose}
            >
              <Icon name="close" />
            </button>
          </div>
        </div>
        <div ref={body} className={`details-body${isPlaceholderData ? ' stale' : ''}`}>
          {error ? (
            <ProblemNote problem={error} />
          ) : call ? (
            <FilterContext value={adder}>
              <CallView call={call} />
            </FilterContext>
          ) : (
            <p className="soft">Loading…</p>
          )}
        </div>
      </aside>
    </>
  )
}

function defaultWidth(): number {
  return Math.round(Math.min(MAX_DEFAULT_PX, Math.max(MIN_PX, innerWidth * 0.42)))
}

/** A window that has become smaller must not lose its list. */
function readWidth(value: unknown): number | undefined {
  return typeof value === 'number' && value >= MIN_PX && value <= innerWidth - LIST_PX ? value : undefined
}

function Title({ call }: { readonly call: CallDetails }) {
  return (
    <h2 className="details-title">
      <ProtocolTag name={call.proto} />
      {call.decrypted === true && <span title="This call was sent encrypted">🔒</span>}
      <span>{call.method}</span>
      <span className="path">{call.path}</span>
      <Status call={call} />
      {call.latency_ms !== undefined && <span className="soft">{latency(call.latency_ms)}</span>}
    </h2>
  )
}
