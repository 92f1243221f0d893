import './header.css'
import { go, useAddress } from '../../address/use-address.ts'
import { mayOpen, type View, viewNames, views } from '../../address/views.ts'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Connection } from './connection.tsx'
import { IndexingButton } from './indexing-button.tsx'
import { SwitchNote } from './switch-note.tsx'

export function Header() {
  const caller = useCaller()
  return (
    <header className="header">
      <IndexingButton />
      <h1 className="brand">Tapdeck</h1>
      <nav className="views" aria-label="Views">
        {viewNames
          .filter((view) => mayOpen(view, caller))
          .map((view) => (
            <ViewLink key={view} view={view} />
          ))}
      </nav>
      <SwitchNote />
      <span className="grow" />
      <div className="standing">
        <Connection />
        <span className="caller" title={`You are ${caller.name}, with the role ${caller.role}.`}>
          <b className="cut">{caller.name}</b>
          <span className="cut">{caller.role}</span>
        </span>
      </div>
      {caller.isLoggedIn && (
        <Button look="bare" onClick={() => void logOut()}>
          Log out
        </Button>
      )}
    </header>
  )
}

/** Everything on the page is of the one who leaves: it is loaded anew. */
async function logOut(): Promise<void> {
  const next = await hub.logOut().then(
    (answer) => answer.next,
    () => undefined,
  )
  location.assign(next ?? '/')
}

function ViewLink({ view }: { readonly view: View }) {
  const { icon, title } = views[view]
  const current = useAddress().view === view
  return (
    <a
      // Narrow screens scroll the views.
      ref={current ? intoView : undefined}
      href={`#${view}`}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        event.preventDefault()
        go({ view, find: '', call: undefined })
      }}
    >
      <Icon name={icon} size={15} />
      {title}
    </a>
  )
}

function intoView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
