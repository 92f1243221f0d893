import { go } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

/** For a caller who may not watch live traffic. */
export function NoLive() {
  const caller = useCaller()
  return (
    <div className="empty">
      <Icon name="lock" size={22} />
      <h2>Live traffic is not open to you</h2>
      <p>
        {caller.reasonAgainst('dissection:live')}{' '}
        {caller.can('snapshot:read')
          ? 'The calls of dissections are: choose one above, or make one from a snapshot.'
          : 'Ask the administrator of this hub for another role.'}
      </p>
      {caller.can('snapshot:read') && (
        <Button icon="layers" onClick={() => go({ view: 'snapshots' })}>
          Go to the snapshots
        </Button>
      )}
    </div>
  )
}
