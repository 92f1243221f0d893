import './ui/theme.css'
import './ui/base.css'
import './ui/controls.css'
import './app.css'
import './pages/stats/stats.css'
import './pages/snapshots/snapshots.css'
import './pages/views.css'
import './pages/suspects/suspects.css'
import './pages/settings/settings.css'
import './docs/docs.css'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRoot } from 'react-dom/client'
import { readAddress } from './address/address.ts'
import { App } from './app.tsx'
import { hub } from './client/hub.ts'
import { HubProblem } from './client/hub-problem.ts'
import { KeepContext } from './keep/keep-context.ts'
import { KeptWindows } from './keep/kept-windows.ts'
import { Session } from './live/session.ts'
import { SessionContext } from './live/session-context.ts'
import { openWebSocket } from './live/web-socket.ts'
import { tell } from './ui/alerts.tsx'
import { CrashBoundary } from './ui/crash-boundary.tsx'

const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended: find out who we are now, which leads to the login.
    onError: (problem, { queryKey }) => {
      if (problem instanceof HubProblem && problem.status === 401 && queryKey[0] !== 'whoami')
        void queries.resetQueries({ queryKey: ['whoami'] })
    },
  }),
  defaultOptions: {
    queries: {
      retry: (count, problem) => count < 2 && !(problem instanceof HubProblem && problem.status >= 400),
      refetchOnWindowFocus: false,
    },
  },
})

const session = new Session(readAddress(location.search, location.hash), {
  connect: openWebSocket,
  fetchPage: hub.calls,
  onChanged: (what) => void queries.invalidateQueries({ queryKey: [what] }),
  onProblem: tell,
})
const ASK_AGAIN_MS = 500
const kept = new KeptWindows({
  ...hub,
  wait: () => new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS)),
})
addEventListener('online', () => session.retryNow())

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queries}>
      <SessionContext value={session}>
        <KeepContext value={kept}>
          <CrashBoundary>
            <App />
          </CrashBoundary>
        </KeepContext>
      </SessionContext>
    </QueryClientProvider>,
  )
