import { useQueryClient } from '@tanstack/react-query'
import { formatBytes } from '@tapdeck/units'
import { useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { type Dissection, hub, type Snapshot } from '../../client/hub.ts'
import { isBeingMade } from '../../client/use-hub.ts'
import { count, countOf } from '../../format/amount.ts'
import { span } from '../../format/duration.ts'
import { gapLine } from '../../format/gap-line.ts'
import { dateTime, timeWindow, utcTime } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { MissingNodes } from '../../ui/missing-nodes.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { Progress } from '../../ui/progress.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { DissectForm } from './dissect-form.tsx'
import { DissectionRow } from './dissection-row.tsx'
import { DownloadDialog } from './download-dialog.tsx'
import { EditSnapshot } from './edit-snapshot.tsx'
import { leftOf } from './left-of.ts'
import { SnapshotNodes } from './snapshot-nodes.tsx'
import { StatusBadge } from './status-badge.tsx'

export interface SnapshotCardProps {
  readonly snapshot: Snapshot
  readonly dissections: readonly Dissection[]
  /** The names of all snapshots. */
  readonly taken: readonly string[]
}

export function SnapshotCard({ snapshot, dissections, taken }: SnapshotCardProps) {
  const caller = useCaller()
  const queries = useQueryClient()
  const [isDissecting, setIsDissecting] = useState(false)
  const [isDownloading, setIsDownloading] = useState(false)
  const [isEditing, setIsEditing] = useState(false)
  const [isDeleting, setIsDeleting] = useState(false)
  const { name, status, start_ts, end_ts } = snapshot
  const unready = status === 'completed' ? undefined : 'It is not completed.'
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ['snapshots'] })
    await queries.invalidateQueries({ queryKey: ['dissections'] })
  }
  return (
    <article className="snapshot" aria-label={`Snapshot ${name}`}>
      <header>
        <h3 className="mono">{name}</h3>
        <StatusBadge status={status} progress={snapshot.progress} />
        {snapshot.partial && (
          <span
            className="badge warn"
            title={
              snapshot.gaps?.map(gapLine).join('\n') ??
              'The window reached beyond what was recorded, or a node could not give its part.'
            }
          >
            partial
          </span>
        )}
        <MissingNodes nodes={snapshot.missing_nodes} />
        {snapshot.tags.map((tag) => (
          <span key={tag} className="badge">
            {tag}
          </span>
        ))}
        <span className="actions">
          <Button
            icon="wave"
            reason={caller.reasonAgainst('snapshot:dissection') ?? unready}
            label={`Dissect ${name}`}
            onClick={() => setIsDissecting(true)}
          >
            Dissect
          </Button>
          {status === 'completed' && (
            <Button
              icon="download"
              label={`pcap: download packets of ${name}`}
              title={`${formatBytes(snapshot.size_bytes)}, or less with a filter`}
              onClick={() => setIsDownloading(true)}
            >
              pcap
            </Button>
          )}
          <Button
            icon="edit"
            look="bare"
            reason={caller.reasonAgainst('snapshot:write') ?? unready}
            label={`Edit the snapshot ${name}`}
            onClick={() => setIsEditing(true)}
          >
            Edit
          </Button>
          <Button
            icon="trash"
            look="bare"
            reason={caller.reasonAgainst('snapshot:write')}
            label={`Delete the snapshot ${name}`}
            onClick={() => setIsDeleting(true)}
          >
            Delete
          </Button>
        </span>
      </header>
      {isBeingMade(snapshot) && <Progress value={snapshot.progress} label={`Progress of ${name}`} />}
      {isBeingMade(snapshot) && <p className="soft">{leftOf(snapshot)}</p>}
      {snapshot.gaps && snapshot.gaps.length > 0 && (
        <details className="snapshot-nodes">
          <summary>{countOf(snapshot.gaps.length, 'time')} without packets</summary>
          <ul>
            {snapshot.gaps.map((gap) => (
              <li key={`${gap.node} ${gap.from_ts}`}>{gapLine(gap)}</li>
            ))}
          </ul>
        </details>
      )}
      <ul className="snapshot-facts">
        {start_ts !== null && end_ts !== null && (
          <li className="mono" title={`${utcTime(start_ts)} – ${utcTime(end_ts)}`}>
            {timeWindow(start_ts, end_ts)}
          </li>
        )}
        {start_ts !== null && end_ts !== null && <li>{span(end_ts - start_ts)}</li>}
        <li>{formatBytes(snapshot.size_bytes)}</li>
        <li>{count(snapshot.packet_count)} packets</li>
        <li>{countOf(snapshot.node_count, 'node')}</li>
        <li title={snapshot.created_at}>made {dateTime(Date.parse(snapshot.created_at))}</li>
      </ul>
      {snapshot.notes !== '' && <p className="snapshot-notes">{snapshot.notes}</p>}
      {snapshot.error && <ProblemNote problem={new Error(snapshot.error)} />}
      <SnapshotNodes nodes={snapshot.nodes} />
      {isDissecting && (
        <DissectForm
          snapshot={name}
          taken={dissections.map((each) => each.dissection_name)}
          onDone={() => setIsDissecting(false)}
        />
      )}
      {dissections.length > 0 && (
        <ul className="dissections" aria-label={`Dissections of ${name}`}>
          {dissections.map((dissection) => (
            <DissectionRow key={dissection.dissection_name} dissection={dissection} />
          ))}
        </ul>
      )}
      {isDownloading && (
        <DownloadDialog
          snapshot={snapshot}
          dissection={dissections.find((each) => each.status === 'completed')?.dissection_name}
          onClose={() => setIsDownloading(false)}
        />
      )}
      {isEditing && (
        <EditSnapshot
          snapshot={snapshot}
          taken={taken}
          onSaved={refresh}
          onClose={() => setIsEditing(false)}
        />
      )}
      {isDeleting && (
        <DeleteDialog
          thing={`the snapshot ${name}`}
          consequence="Its packets are gone for good, unless you have downloaded them."
          along={alongWith(dissections)}
          forcing="Delete it all the same, with everything that was made of it?"
          onDelete={(force) => hub.deleteSnapshot(name, force).then(refresh)}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </article>
  )
}

function alongWith(dissections: readonly Dissection[]): string | undefined {
  if (dissections.length === 0) return undefined
  const names = dissections.map((each) => each.dissection_name).join(', ')
  const calls = dissections.reduce((sum, each) => sum + each.call_count, 0)
  return `Its ${dissections.length === 1 ? 'dissection is' : 'dissections are'} deleted too: ${names} (${countOf(calls, 'call')}).`
}
