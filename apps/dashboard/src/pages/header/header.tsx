import './header.css'
import type { View } from '../../address/address.ts'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { Button } from '../../ui/button.tsx'
import { Icon, type IconName } from '../../ui/icon.tsx'
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
        <ViewLink view="calls" icon="wave" text="Calls" />
        <ViewLink view="suspects" icon="search" text="Suspects" />
        <ViewLink view="map" icon="map" text="Map" />
        <ViewLink view="stats" icon="bars" text="Stats" />
        <ViewLink view="flows" icon="flows" text="Flows" />
        <ViewLink view="events" icon="bell" text="Events" />
        <ViewLink view="nodes" icon="nodes" text="Nodes" />
        {caller.can('snapshot:read') && <ViewLink view="snapshots" icon="layers" text="Snapshots" />}
        {caller.can('snapshot:read') && <ViewLink view="recordings" icon="stop" text="Recordings" />}
        <ViewLink view="settings" icon="edit" text="Settings" />
        <ViewLink view="docs" icon="book" text="Docs" />
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

function ViewLink({ view, icon, text }: { view: View; icon: IconName; text: string }) {
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
      {text}
    </a>
  )
}

function intoView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
