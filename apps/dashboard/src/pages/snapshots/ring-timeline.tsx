import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { useBoundaries } from '../../client/use-hub.ts'
import { gapLine } from '../../format/gap-line.ts'
import { datedTime, timeWindow } from '../../format/time.ts'
import { brushed, type TimeWindow } from '../../time/time-window.ts'
import { partOf, ringRange, ringTracks, timeAt } from './ring-track.ts'

export interface RingTimelineProps {
  /** The window that is chosen, where it has two ends. */
  readonly chosen: TimeWindow | undefined
  readonly onChoose: (window: TimeWindow) => void
}

/** What each node has recorded, with gaps, on one axis. Dragging chooses a window; the fields below do the same by keyboard. */
export function RingTimeline({ chosen, onChoose }: RingTimelineProps) {
  const nodes = useBoundaries().data?.nodes
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>()
  // The axis does not move under a pointer that drags.
  const held = useRef<TimeWindow>(undefined)
  const latest = useMemo(() => nodes && ringRange(nodes), [nodes])
  const range = (drag && held.current) ?? latest
  if (!nodes || !range) return null
  const at = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return timeAt(range, (event.clientX - left) / width)
  }
  const begin = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    held.current = range
    const from = at(event)
    setDrag({ from, to: from })
  }
  const end = () => {
    const window = drag && brushed(drag.from, drag.to)
    setDrag(undefined)
    if (window) onChoose(window)
  }
  const shown = drag ? { start: Math.min(drag.from, drag.to), end: Math.max(drag.from, drag.to) } : chosen
  return (
    <div className="ring-timeline">
      <div
        className="ring-tracks"
        role="img"
        aria-label={`Recorded from ${timeWindow(range.start, range.end)} on ${nodes.length} nodes. Drag to choose a window.`}
        onPointerDown={begin}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: at(event) })}
        onPointerUp={end}
        onPointerCancel={() => setDrag(undefined)}
      >
        {ringTracks(nodes, range).map(({ name, recorded, gaps }) => (
          <div key={name} className="ring-track" title={name}>
            {recorded && <i className="recorded-part" style={percents(recorded)} />}
            {gaps.map((gap) => (
              <i
                key={gap.from_ts}
                className="gap-part"
                style={percents(gap)}
                title={gapLine({ ...gap, node: name, detail: gap.detail ?? gap.reason })}
              />
            ))}
            <span className="cut">{name}</span>
          </div>
        ))}
        {shown && <i className="chosen-part" style={percents(partOf(range, shown.start, shown.end))} />}
      </div>
      <p className="ring-ends soft mono">
        <span>{datedTime(range.start).slice(0, -4)}</span>
        <span>{datedTime(range.end).slice(0, -4)}</span>
      </p>
      <p className="soft" aria-live="polite">
        {drag
          ? timeWindow(Math.min(drag.from, drag.to), Math.max(drag.from, drag.to))
          : 'Drag to choose a window.'}
      </p>
    </div>
  )
}

function percents({ left, width }: { readonly left: number; readonly width: number }) {
  return { left: `${left}%`, width: `${width}%` }
}
