import { go } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { useDissections } from '../../client/use-hub.ts'
import { countOf } from '../../format/amount.ts'
import { sourceChange } from './source-change.ts'

export interface SourceSelectProps {
  readonly db: string | undefined
  /** The recording ring can be searched, but not counted. */
  readonly withRecording?: boolean
}

/** Live traffic, the recording ring, or the calls of a dissection. */
export function SourceSelect({ db, withRecording = false }: SourceSelectProps) {
  const caller = useCaller()
  const { data: dissections = [] } = useDissections(caller.can('snapshot:read'))
  const finished = dissections
    .filter((dissection) => dissection.status === 'completed')
    .map((dissection) => ({
      db: `${dissection.snapshot_name}/${dissection.dissection_name}`,
      calls: dissection.call_count,
    }))
  const isListed = db === undefined || db === 'recording' || finished.some((each) => each.db === db)
  return (
    <select
      className="select source"
      aria-label="Source of the calls"
      value={db ?? ''}
      onChange={(event) => go(sourceChange(event.target.value || undefined, hubNow()))}
    >
      <option value="" disabled={!caller.can('dissection:live')}>
        Live traffic
      </option>
      {withRecording && caller.can('snapshot:read') && <option value="recording">Recording ring</option>}
      {!isListed && <option value={db}>{db}</option>}
      {finished.length > 0 && (
        <optgroup label="Dissections">
          {finished.map((each) => (
            <option key={each.db} value={each.db}>
              {each.db} ({countOf(each.calls, 'call')})
            </option>
          ))}
        </optgroup>
      )}
    </select>
  )
}
