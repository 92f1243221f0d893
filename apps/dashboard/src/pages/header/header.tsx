import './header.css'
import { go, useAddress } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
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
        {caller.can('snapshot:read') && <ViewLink view="snapshots" icon="layers" text="Snapshots" />}
      </nav>
      <SwitchNote />
      <span className="grow" />
      <Connection />
      <span className="caller" title={`You are ${caller.name}, with the role ${caller.role}.`}>
        <b className="cut">{caller.name}</b>
        <span className="cut">{caller.role}</span>
      </span>
    </header>
  )
}

function ViewLink({ view, icon, text }: { view: 'calls' | 'snapshots'; icon: IconName; text: string }) {
  const current = useAddress().view === view
  return (
    <a
      href={view === 'calls' ? '#calls' : '#snapshots'}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        event.preventDefault()
        go({ view })
      }}
    >
      <Icon name={icon} size={15} />
      {text}
    </a>
  )
}
