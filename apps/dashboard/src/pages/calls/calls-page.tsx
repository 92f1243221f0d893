import './calls.css'
import { useCallback, useEffect, useRef } from 'react'
import { closeCall, go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { countOf } from '../../format/amount.ts'
import { Examples } from '../../kfl/examples.tsx'
import { FilterBox } from '../../kfl/filter-box.tsx'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { TimeStrip } from '../../timeline/time-strip.tsx'
import { Icon } from '../../ui/icon.tsx'
import { isShortcut } from '../../ui/is-shortcut.ts'
import { useKept } from '../../ui/use-kept.ts'
import { CallDetailsPanel } from '../call-details/call-details-panel.tsx'
import { CallGrid, type CallGridHandle } from './call-grid.tsx'
import { EmptyState } from './empty-state.tsx'
import { ExportMenu } from './export/export-menu.tsx'
import { plainLook, readListLook } from './list-look.ts'
import { ListMenu } from './list-menu.tsx'
import { ListNote } from './list-note.tsx'
import { NoLive } from './no-live.tsx'
import { SourceSelect } from './source-select.tsx'
import { StreamControls } from './stream-controls.tsx'

/** The calls, live or of a dissection, with their filter and the details of one of them. */
export function CallsPage() {
  const address = useAddress()
  const session = useSession()
  const caller = useCaller()
  const feed = useStore(session.feed)
  useStore(feed.version)
  const grid = useRef<CallGridHandle>(null)
  const seen = useCallback(() => feed.list.newest(1000), [feed])
  const [look, setLook] = useKept('list', plainLook, readListLook)
  const mayWatch = address.db !== undefined || caller.can('dissection:live')

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      if (event.key === 'Escape') {
        closeCall()
        grid.current?.focus()
      } else if (/^[jkgG]$/.test(event.key) && grid.current?.move(event)) grid.current.focus()
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])

  const close = () => {
    closeCall()
    grid.current?.focus()
  }

  return (
    <main className="calls">
      <div className="toolbar">
        <SourceSelect db={address.db} withRecording />
        <FilterBox
          applied={address.kfl}
          onApply={(kfl) => go({ kfl })}
          seen={seen}
          // The recording has no index to look values up in.
          db={address.db === 'recording' ? undefined : address.db}
        />
        {feed.isLive && mayWatch && <StreamControls feed={feed} />}
      </div>
      {mayWatch ? (
        <>
          <TimeStrip address={address} />
          <div className="list-line">
            <ListNote feed={feed} />
            {feed.list.waiting > 0 && (
              <button
                type="button"
                className="button primary newcomers"
                onClick={() => grid.current?.toTop()}
              >
                <Icon name="up" size={14} />
                {countOf(feed.list.waiting, 'new call')}
              </button>
            )}
            <div className="list-tools">
              {address.kfl === '' && <Examples onPick={(kfl) => go({ kfl })} />}
              <ListMenu look={look} onLook={setLook} />
              <ExportMenu
                db={address.db}
                kfl={address.kfl}
                start={address.start}
                end={address.end}
                columns={look.columns}
              />
            </div>
          </div>
          <div className={`split${address.call === undefined ? '' : ' has-details'}`}>
            <section className="list" aria-label="Calls">
              {feed.list.length === 0 && feed.list.waiting === 0 ? (
                <EmptyState feed={feed} />
              ) : (
                <CallGrid
                  key={`${feed.db ?? ''} ${feed.start ?? ''} ${feed.end ?? ''} ${feed.kfl}`}
                  feed={feed}
                  look={look}
                  onLook={setLook}
                  openId={address.call}
                  onOpen={(call) => go({ call })}
                  onClose={close}
                  handle={grid}
                />
              )}
            </section>
            {address.call !== undefined && (
              <CallDetailsPanel
                id={address.call}
                db={address.db}
                kfl={address.kfl}
                tab={address.tab}
                onClose={close}
              />
            )}
          </div>
        </>
      ) : (
        <NoLive />
      )}
    </main>
  )
}
