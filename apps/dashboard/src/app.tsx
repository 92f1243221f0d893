import { type ComponentType, lazy, Suspense, useEffect, useMemo } from 'react'
import { go, useAddress } from './address/use-address.ts'
import { mayOpen, type View } from './address/views.ts'
import { Caller, CallerContext } from './client/caller.ts'
import type { Whoami } from './client/hub.ts'
import { HubProblem } from './client/hub-problem.ts'
import { useWhoami } from './client/use-hub.ts'
import { HintStrip } from './hints/hint-strip.tsx'
import { useKeptWindows } from './keep/keep-context.ts'
import { KeptNotices } from './keep/kept-notices.tsx'
import { useSession } from './live/session-context.ts'
import { usePolledState } from './live/use-polled-state.ts'
import { CallsPage } from './pages/calls/calls-page.tsx'
import { Footer } from './pages/footer.tsx'
import { Banners } from './pages/header/banners.tsx'
import { Header } from './pages/header/header.tsx'
import { Reconnected } from './pages/header/reconnected.tsx'
import { LoginPage } from './pages/login/login-page.tsx'
import { Alerts } from './ui/alerts.tsx'
import { isShortcut } from './ui/is-shortcut.ts'
import { ProblemNote } from './ui/problem-note.tsx'

/** The calls are on the first page; the other views are loaded when they are opened. */
const pages: Readonly<Record<View, ComponentType>> = {
  calls: CallsPage,
  suspects: lazy(async () => ({
    default: (await import('./pages/suspects/suspects-page.tsx')).SuspectsPage,
  })),
  map: lazy(async () => ({ default: (await import('./pages/map/map-page.tsx')).MapPage })),
  stats: lazy(async () => ({ default: (await import('./pages/stats/stats-page.tsx')).StatsPage })),
  flows: lazy(async () => ({ default: (await import('./pages/flows/flows-page.tsx')).FlowsPage })),
  events: lazy(async () => ({ default: (await import('./pages/events/events-page.tsx')).EventsPage })),
  nodes: lazy(async () => ({ default: (await import('./pages/nodes/nodes-page.tsx')).NodesPage })),
  snapshots: lazy(async () => ({
    default: (await import('./pages/snapshots/snapshots-page.tsx')).SnapshotsPage,
  })),
  recordings: lazy(async () => ({
    default: (await import('./pages/recordings/recordings-page.tsx')).RecordingsPage,
  })),
  settings: lazy(async () => ({
    default: (await import('./pages/settings/settings-page.tsx')).SettingsPage,
  })),
  docs: lazy(async () => ({ default: (await import('./docs/docs-page.tsx')).DocsPage })),
}

export function App() {
  const { data: whoami, error, failureReason } = useWhoami()
  const problem = error ?? failureReason
  if (whoami) return <Dashboard whoami={whoami} />
  if (problem instanceof HubProblem && problem.status === 401) return <LoginPage />
  return (
    <main className="empty start">
      {problem ? <ProblemNote problem={problem} /> : <span className="spinner" />}
      {problem && !error && <p>Trying again…</p>}
    </main>
  )
}

function Dashboard({ whoami }: { readonly whoami: Whoami }) {
  const session = useSession()
  const { view, db, kfl, start, end } = useAddress()
  const caller = useMemo(() => new Caller(whoami), [whoami])
  const live = caller.can('dissection:live')
  const Page = pages[mayOpen(view, caller) ? view : 'calls']
  usePolledState()
  useHelpKey(view)

  useEffect(() => {
    session.open(live)
    return () => session.close()
  }, [session, live])
  useEffect(() => {
    session.show({ db, kfl, start, end }, live)
  }, [session, db, kfl, start, end, live])

  return (
    <CallerContext value={caller}>
      <Header />
      <Banners />
      <Reconnected />
      <HintStrip />
      <Suspense
        fallback={
          <main className="empty">
            <span className="spinner" />
          </main>
        }
      >
        <Page />
      </Suspense>
      <Footer />
      <Alerts>
        <KeptNotices kept={useKeptWindows()} />
      </Alerts>
    </CallerContext>
  )
}

/** `?` opens what the documentation says of this view; "back" returns. */
function useHelpKey(view: View): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '?' || view === 'docs' || !isShortcut(event)) return
      go({ view: 'docs', doc: `dashboard:${view}` })
      event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [view])
}
