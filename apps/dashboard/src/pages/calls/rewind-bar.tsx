import './rewind-bar.css'
import { type FormEvent, useState } from 'react'
import { go } from '../../address/use-address.ts'
import { hubNow } from '../../client/hub-clock.ts'
import { useBoundaries } from '../../client/use-hub.ts'
import { inputTime, timeWindow } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { durationMs, readChoice } from '../snapshots/window-choice.ts'

const presets = ['5m', '15m', '1h', '6h'] as const

export interface RewindBarProps {
  readonly start: number | undefined
  readonly end: number | undefined
}

/** Which part of the recording is searched. The address keeps the times, so that a link shows the same to others. */
export function RewindBar({ start, end }: RewindBarProps) {
  const recorded = useBoundaries().data?.cluster
  const [openedAt] = useState(hubNow)
  const [draft, setDraft] = useState<{ readonly from: string; readonly to: string }>()
  const shown = draft ?? { from: inputTime(start ?? openedAt - 300_000), to: inputTime(end ?? openedAt) }
  const window = readChoice({ kind: 'range', duration: '', ...shown })
  const problem = 'problem' in window ? window.problem : undefined
  const search = (times: { start: number; end: number }) => {
    setDraft(undefined)
    go({ ...times, call: undefined })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if ('start' in window) search(window)
  }
  const input = (label: string, end: 'from' | 'to') => (
    <input
      type="datetime-local"
      step="1"
      className="input"
      aria-label={label}
      aria-invalid={problem !== undefined}
      value={shown[end]}
      onChange={(event) => setDraft({ ...shown, [end]: event.target.value })}
    />
  )
  return (
    <form className="rewind" onSubmit={submit} aria-label="Window of the recording">
      <span className="soft">The last</span>
      {presets.map((preset) => (
        <Button
          key={preset}
          onClick={() => search({ start: hubNow() - (durationMs(preset) ?? 0), end: hubNow() })}
        >
          {preset}
        </Button>
      ))}
      <span className="soft joint">or</span>
      {input('From', 'from')}
      <span className="soft joint">–</span>
      {input('To', 'to')}
      <Button type="submit" icon="search" reason={problem}>
        Search
      </Button>
      {problem && <span className="field-error">{problem}</span>}
      {recorded?.oldest_ts != null && recorded.newest_ts != null && (
        <span className="soft">Recorded: {timeWindow(recorded.oldest_ts, recorded.newest_ts)}</span>
      )}
    </form>
  )
}
