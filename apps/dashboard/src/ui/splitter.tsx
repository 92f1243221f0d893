import { type KeyboardEvent, type PointerEvent, useState } from 'react'

export interface SplitterProps {
  readonly label: string
  /** Width of what is to the right of it, in pixels. */
  readonly width: number
  readonly min: number
  readonly max: () => number
  readonly onWidth: (width: number) => void
}

const STEP_PX = 24

/** Between two panes: dragged with the pointer, or moved with the arrow keys. */
export function Splitter({ label, width, min, max, onWidth }: SplitterProps) {
  const [grip, setGrip] = useState<number>()
  const set = (wanted: number) => onWidth(Math.round(Math.min(max(), Math.max(min, wanted))))
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') set(width + STEP_PX)
    else if (event.key === 'ArrowRight') set(width - STEP_PX)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setGrip(event.clientX + width)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule has no value that could be moved
    <div
      className="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={width}
      aria-valuemin={min}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onPointerMove={(event) => grip !== undefined && set(grip - event.clientX)}
      onPointerUp={() => setGrip(undefined)}
      onPointerCancel={() => setGrip(undefined)}
    />
  )
}
