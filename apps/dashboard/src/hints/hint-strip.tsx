import { go, useAddress } from '../address/use-address.ts'
import { DocsLink } from '../docs/docs-link.tsx'
import { useSession } from '../live/session-context.ts'
import { useStore } from '../live/use-store.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useKept } from '../ui/use-kept.ts'
import { ALL_HINTS, hintOf, isSeen, readSeenHints, type SeenHints } from './hint-list.ts'

const NONE_SEEN: SeenHints = []

/** How many of the newest calls are looked at for services of the demo. */
const LOOKED_AT = 100

/** On the first visit of a view: what to try. Once closed, this browser does not show it again. */
export function HintStrip() {
  const { view } = useAddress()
  const [seen, setSeen] = useKept('hints', NONE_SEEN, readSeenHints)
  if (isSeen(seen, view)) return null
  return <OpenHint onClose={(all) => setSeen([...seen, all ? ALL_HINTS : view])} />
}

function OpenHint({ onClose }: { readonly onClose: (all: boolean) => void }) {
  const { view } = useAddress()
  const hint = hintOf(view, useIsDemo())
  if (!hint) return null
  const { next } = hint
  return (
    <aside className="hint-strip" aria-label="Hint">
      <Icon name="book" />
      <p className="grow">
        {hint.text} <DocsLink to={hint.docs}>Read more</DocsLink>
      </p>
      {next && (
        <Button
          look="primary"
          onClick={() => {
            onClose(false)
            go({ view: next.view, find: '', call: undefined })
          }}
        >
          {next.text}
        </Button>
      )}
      <Button onClick={() => onClose(false)}>Got it</Button>
      <Button look="bare" onClick={() => onClose(true)}>
        No more hints
      </Button>
    </aside>
  )
}

/** The demo names its services in a namespace of its own. */
function useIsDemo(): boolean {
  const feed = useStore(useSession().feed)
  useStore(feed.version)
  return feed.list.newest(LOOKED_AT).some(({ dst }) => dst.ns === 'shop' && dst.svc === 'checkout')
}
