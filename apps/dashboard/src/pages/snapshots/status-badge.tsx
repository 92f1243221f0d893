import type { Dissection, Snapshot } from '../../client/hub.ts'

type Status = Snapshot['status'] | Dissection['status']

const looks: Readonly<Record<Status, string>> = {
  pending: 'busy',
  in_progress: 'busy',
  running: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: '',
}

export function StatusBadge({ status, progress }: { readonly status: Status; readonly progress: number }) {
  const isBusy = looks[status] === 'busy'
  return (
    <span className={`badge ${looks[status]}`}>
      {isBusy && <span className="spinner" />}
      {status.replaceAll('_', ' ')}
      {isBusy && status !== 'pending' && ` ${Math.round(progress)} %`}
    </span>
  )
}
