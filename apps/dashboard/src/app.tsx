import { useEffect, useMemo } from 'react'
import { useAddress } from './address/use-address.ts'
import { Caller, CallerContext } from './client/caller.ts'
import type { Whoami } from './client/hub.ts'
import { HubProblem } from './client/hub-problem.ts'
import { useWhoami } from './client/use-hub.ts'
import { useSession } from './live/session-context.ts'
import { usePolledState } from './live/use-polled-state.ts'
import { CallsPage } from './pages/calls/calls-page.tsx'
import { Footer } from './pages/footer.tsx'
import { Banners } from './pages/header/banners.tsx'
import { Header } from './pages/header/header.tsx'
import { SnapshotsPage } from './pages/snapshots/snapshots-page.tsx'
import { Alerts } from './ui/alerts.tsx'
import { ProblemNote } from './ui/problem-note.tsx'

export function App() {
  const { data: whoami, error, failureReason } = useWhoami()
  const problem = error ?? failureReason
  if (whoami) return <Dashboard whoami={whoami} />
  return (
    <main className="empty start">
      {problem ? <ProblemNote problem={explain(problem)} /> : <span className="spinner" />}
      {problem && !error && <p>Trying again…</p>}
    </main>
  )
}

function Dashboard({ whoami }: { readonly whoami: Whoami }) {
  const session = useSession()
  const { view, db, kfl } = useAddress()
  const caller = useMemo(() => new Caller(whoami), [whoami])
  const live = caller.can('dissection:live')
  usePolledState()

  useEffect(() => {
    session.open(live)
    return () => session.close()
  }, [session, live])
  useEffect(() => {
    session.show({ db, kfl }, live)
  }, [session, db, kfl, live])

  return (
    <CallerContext value={caller}>
      <Header />
      <Banners />
      {view === 'snapshots' && caller.can('snapshot:read') ? <SnapshotsPage /> : <CallsPage />}
      <Footer />
      <Alerts />
    </CallerContext>
  )
}

function explain(problem: Error): Error {
  if (!(problem instanceof HubProblem) || problem.status !== 401) return problem
  return new HubProblem(401, {
    ...problem.body,
    hint: problem.hint ?? 'Log in, or ask for a credential, and reload this page.',
  })
}
