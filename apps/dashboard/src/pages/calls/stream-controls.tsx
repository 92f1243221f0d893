import type { CallFeed } from '../../live/call-feed.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { Button } from '../../ui/button.tsx'

/** This page's own stream: it can rest without touching indexing. */
export function StreamControls({ feed }: { readonly feed: CallFeed }) {
  const session = useSession()
  const isStreaming = useStore(session.isStreaming)
  return (
    <div className="stream-controls">
      {isStreaming ? (
        <Button
          icon="pause"
          onClick={() => session.pauseStream()}
          title="Stops the list on this page only; indexing goes on. A frozen list does not count as activity."
        >
          Freeze list
        </Button>
      ) : (
        <Button icon="play" look="primary" onClick={() => session.resumeStream()}>
          Follow live
        </Button>
      )}
      <Button icon="clear" onClick={() => feed.clear()} title="Empties the list on this page">
        Clear
      </Button>
    </div>
  )
}
