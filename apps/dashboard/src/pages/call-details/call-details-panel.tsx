import './call-details.css'
import { useEffect, useMemo, useRef } from 'react'
import { type CallTab, callTabs } from '../../address/call-tab.ts'
import { go } from '../../address/use-address.ts'
import type { CallDetails } from '../../client/call-details.ts'
import { useCall, useKflFields } from '../../client/use-hub.ts'
import { Status } from '../../columns/status.tsx'
import { latency } from '../../format/duration.ts'
import { withAlternative, withClause } from '../../kfl/clause.ts'
import { protocolLook } from '../../protocols/index.ts'
import { ProtocolTag } from '../../protocols/protocol-tag.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { asCurl } from './as-curl.ts'
import { asKfl } from './as-kfl.ts'
import { CallView } from './call-view.tsx'
import { FilterContext } from './filter-context.ts'

export interface CallDetailsPanelProps {
  readonly id: string
  readonly db: string | undefined
  readonly kfl: string
  readonly tab: CallTab
  readonly onClose: () => void
}

const MIN_PX = 360
const MAX_DEFAULT_PX = 600
/** What the list keeps beside the details. */
const LIST_PX = 320

export function CallDetailsPanel({ id, db, kfl, tab, onClose }: CallDetailsPanelProps) {
  const { data: call, error, isPlaceholderData } = useCall(id, db)
  const { data: fields = [] } = useKflFields()
  const curl = call && asCurl(call)
  const body = useRef<HTMLDivElement>(null)
  const adder = useMemo(
    () => ({
      fields,
      add: (clause: string) => go({ kfl: withClause(kfl, clause) }),
      addAlternative: (clause: string) => go({ kfl: withAlternative(kfl, clause) }),
    }),
    [fields, kfl],
  )
  const [width, setWidth] = useKept('details-width', defaultWidth(), readWidth)
  const panel = useRef<HTMLElement>(null)
  const closer = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Where there is no room beside the list the panel covers it, and the keys must act on what is seen.
    if (panel.current && getComputedStyle(panel.current).position === 'fixed') closer.current?.focus()
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another call and another part begin at their top
  useEffect(() => {
    if (body.current) body.current.scrollTop = 0
  }, [id, tab])
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
              <CopyButton isForm text={() => JSON.stringify(call, undefined, 2)}>
                JSON
              </CopyButton>
            )}
            {curl !== undefined && !error && (
              <CopyButton isForm text={() => curl}>
                curl
              </CopyButton>
            )}
            {call && !error && (
              <CopyButton isForm text={() => asKfl(call, fields)}>
                KFL
              </CopyButton>
            )}
            <CopyButton isForm text={() => location.href}>
              link
            </CopyButton>
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
        {error ? (
          <div className="details-body">
            <ProblemNote problem={error} />
          </div>
        ) : call ? (
          <FilterContext value={adder}>
            <div ref={body} className={`details-body${isPlaceholderData ? ' stale' : ''}`}>
              <Tabs
                label="Parts of the call"
                tabs={tabsOf(call)}
                chosen={tab}
                onChoose={(chosen) => go({ tab: chosen })}
              >
                <CallView call={call} db={db} tab={tab} />
              </Tabs>
            </div>
          </FilterContext>
        ) : (
          <p className="details-body soft">Loading…</p>
        )}
      </aside>
    </>
  )
}

function tabsOf(call: CallDetails) {
  const look = protocolLook(call.proto)
  const titles: Readonly<Record<CallTab, string>> = {
    overview: 'Overview',
    request: look.request,
    response: look.response,
    timing: 'Timing',
    connection: 'Connection',
    packets: 'Packets',
    events: 'Events',
    related: 'Related',
  }
  const events = call.events?.length
  return callTabs.map((id) => ({
    id,
    title: titles[id],
    ...(id === 'events' && events !== undefined && { note: String(events) }),
  }))
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
