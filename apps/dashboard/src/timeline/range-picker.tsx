import { type FormEvent, useState } from 'react'
import { useBoundaries } from '../client/use-hub.ts'
import { inputTime, timeWindow } from '../format/time.ts'
import { type Span, spans, type TimeWindow } from '../time/time-window.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { readChoice } from './window-choice.ts'

export interface RangePickerProps {
  /** What is chosen, in words. */
  readonly text: string
  /** The window on screen, from which a custom one begins. */
  readonly shown: TimeWindow
  readonly span: Span | undefined
  readonly spanTitle: (span: Span) => string
  readonly onSpan: (span: Span) => void
  readonly onWindow: (window: TimeWindow) => void
  /** Back to everything, where the source has an end. */
  readonly onWhole?: (() => void) | undefined
  readonly withRecorded: boolean
}

/** Which time the view shows: the last minutes or hours, or from one time to another. */
export function RangePicker(props: RangePickerProps) {
  return (
    <Popover
      label={`Time range: ${props.text}`}
      title={
        <>
          <Icon name="clock" size={14} />
          {props.text}
          <Icon name="expand" size={12} />
        </>
      }
    >
      {(close) => <RangePanel {...props} onDone={close} />}
    </Popover>
  )
}

function RangePanel(props: RangePickerProps & { readonly onDone: () => void }) {
  const { span, spanTitle, onSpan, onWindow, onWhole, onDone } = props
  const [from, setFrom] = useState(() => inputTime(props.shown.start))
  const [to, setTo] = useState(() => inputTime(props.shown.end))
  const window = readChoice({ kind: 'range', duration: '', from, to })
  const problem = 'problem' in window ? window.problem : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!('start' in window)) return
    onDone()
    onWindow(window)
  }
  const input = (label: string, value: string, onChange: (value: string) => void) => (
    <label className="field">
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        className="input"
        aria-invalid={problem !== undefined}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  )
  return (
    <div className="popover-panel range-panel">
      <div className="range-spans">
        {onWhole && (
          <Button
            onClick={() => {
              onDone()
              onWhole()
            }}
          >
            All of it
          </Button>
        )}
        {!onWhole &&
          spans.map((each) => (
            <button
              key={each}
              type="button"
              className="button"
              aria-pressed={each === span}
              onClick={() => {
                onDone()
                onSpan(each)
              }}
            >
              {spanTitle(each)}
            </button>
          ))}
      </div>
      <form className="range-custom" onSubmit={submit} aria-label="Custom time range">
        {input('From', from, setFrom)}
        {input('To', to, setTo)}
        {problem && <p className="field-error">{problem}</p>}
        <Button type="submit" look="primary" reason={problem}>
          Show this time
        </Button>
        {props.withRecorded && <Recorded />}
      </form>
    </div>
  )
}

function Recorded() {
  const recorded = useBoundaries().data?.cluster
  if (recorded?.oldest_ts == null || recorded.newest_ts == null) return null
  return <p className="soft">Recorded: {timeWindow(recorded.oldest_ts, recorded.newest_ts)}</p>
}
