import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatBytes } from '@tapdeck/units'
import { useState } from 'react'
import { go } from '../../address/use-address.ts'
import { useCaller } from '../../client/caller.ts'
import { hub, type Recording } from '../../client/hub.ts'
import { count, countOf } from '../../format/amount.ts'
import { gapLine } from '../../format/gap-line.ts'
import { dateTime } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { DeleteDialog } from '../snapshots/delete-dialog.tsx'

const looks: Readonly<Record<Recording['status'], string>> = {
  scheduled: '',
  running: 'busy',
  completed: 'good',
  stopped: 'good',
  failed: 'bad',
}

export function RecordingCard({ recording }: { readonly recording: Recording }) {
  const { name, status, kfl, kfl_withheld, db, db_status, gaps } = recording
  const caller = useCaller()
  const queries = useQueryClient()
  const [isDeleting, setIsDeleting] = useState(false)
  const refresh = () => queries.invalidateQueries({ queryKey: ['recordings'] })
  const stop = useMutation({ mutationFn: () => hub.stopRecording(name), onSettled: refresh })
  const isOver = status !== 'running' && status !== 'scheduled'
  return (
    <article className="snapshot" aria-label={`Recording ${name}`}>
      <header>
        <h3 className="mono">{name}</h3>
        <span className={`badge ${looks[status]}`}>
          {status === 'running' && <span className="spinner" />}
          {status}
        </span>
        {gaps.length > 0 && (
          <span className="badge warn" title={gaps.map(gapLine).join('\n')}>
            {countOf(gaps.length, 'gap')}
          </span>
        )}
        <span className="actions">
          {db !== undefined && (
            <Button
              icon="open"
              label={`Show the calls of ${name}`}
              reason={db_status === 'completed' ? undefined : `Its calls are ${db_status}.`}
              onClick={() => go({ view: 'calls', db, kfl: '', call: undefined })}
            >
              Calls
            </Button>
          )}
          {isOver ? (
            <Button
              icon="trash"
              look="bare"
              reason={caller.reasonAgainst('settings:write')}
              label={`Delete the recording ${name}`}
              onClick={() => setIsDeleting(true)}
            >
              Delete
            </Button>
          ) : (
            <Button
              icon="stop"
              reason={caller.reasonAgainst('settings:write')}
              label={`Stop the recording ${name}`}
              busy={stop.isPending}
              onClick={() => stop.mutate()}
            >
              Stop
            </Button>
          )}
        </span>
      </header>
      <ul className="snapshot-facts">
        {kfl && <li className="mono">{kfl}</li>}
        {kfl_withheld && <li className="soft">Filter {kfl_withheld}</li>}
        <li title={recording.starts_at}>from {dateTime(Date.parse(recording.starts_at))}</li>
        <li>
          {formatBytes(recording.size_bytes)} of at most {formatBytes(recording.max_bytes)}
        </li>
        <li>{count(recording.packet_count)} packets</li>
        <li>{countOf(recording.live_matches, 'call')} seen live</li>
        <li>by {recording.created_by}</li>
      </ul>
      {recording.error && <ProblemNote problem={new Error(recording.error)} />}
      {stop.error && <ProblemNote problem={stop.error} />}
      {isDeleting && (
        <DeleteDialog
          thing={`the recording ${name}`}
          consequence="Its packets and its calls are gone for good."
          onDelete={() => hub.deleteRecording(name).then(refresh)}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </article>
  )
}
