import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { go } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { type Dissection, hub } from '../../client/hub.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { isRunning } from '../../client/use-hub.ts'
import { count, countOf } from '../../format/amount.ts'
import { ProtocolTag } from '../../protocols/protocol-tag.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { Progress } from '../../ui/progress.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { leftOfDissection } from './left-of-dissection.ts'
import { LossNote } from './loss-note.tsx'
import { StatusBadge } from './status-badge.tsx'

export function DissectionRow({ dissection }: { readonly dissection: Dissection }) {
  const { snapshot_name: snapshot, dissection_name: name, status, progress } = dissection
  const caller = useCaller()
  const queries = useQueryClient()
  const [isDeleting, setIsDeleting] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: ['dissections'] })
  const stop = useMutation({ mutationFn: () => hub.stopDissection(snapshot, name), onSuccess: refresh })
  const denied = caller.reasonAgainst('snapshot:dissection')
  const protocols = Object.entries(dissection.protocol_counts).sort(([, a], [, b]) => b - a)
  return (
    <li className="dissection">
      <div className="dissection-line">
        <b className="mono">{name}</b>
        <StatusBadge status={status} progress={progress} />
        {status === 'completed' && <span>{countOf(dissection.call_count, 'call')}</span>}
        {status === 'completed' && <LossNote loss={dissection.loss} />}
        <span className="protocols">
          {protocols.slice(0, 6).map(([protocol, calls]) => (
            <span key={protocol} title={countOf(calls, 'call')}>
              <ProtocolTag name={protocol} /> {count(calls)}
            </span>
          ))}
        </span>
        <span className="actions">
          {isRunning(dissection) ? (
            <Button icon="stop" busy={stop.isPending} reason={denied} onClick={() => stop.mutate()}>
              Stop
            </Button>
          ) : (
            <>
              <Button
                icon="open"
                look={status === 'completed' ? 'primary' : 'plain'}
                reason={status === 'completed' ? undefined : `It is ${status}: there is nothing to open.`}
                label={`Open ${snapshot}/${name}`}
                onClick={() => go({ view: 'calls', db: `${snapshot}/${name}`, call: undefined })}
              >
                Open
              </Button>
              <Button
                icon="trash"
                look="bare"
                reason={denied}
                label={`Delete the dissection ${snapshot}/${name}`}
                onClick={() => setIsDeleting(true)}
              >
                Delete
              </Button>
            </>
          )}
        </span>
      </div>
      {isRunning(dissection) && (
        <>
          <Progress value={progress} label={`Progress of ${snapshot}/${name}`} />
          <p className="soft">{dissection.waiting_for ?? leftOfDissection(dissection, hubNow())}</p>
        </>
      )}
      {dissection.errors.map((error) => (
        <ProblemNote key={error} problem={new Error(error)} />
      ))}
      {stop.error && <ProblemNote problem={stop.error} />}
      {isDeleting && (
        <DeleteDialog
          thing={`the dissection ${snapshot}/${name}`}
          consequence="Its calls can no longer be queried. The snapshot stays, so it can be dissected again."
          onDelete={() => hub.deleteDissection(snapshot, name).then(refresh)}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </li>
  )
}
