import { type ReactNode, useEffect, useRef, useState } from 'react'

export interface PopoverProps {
  readonly label: string
  readonly title: ReactNode
  readonly className?: string
  /** What is in it, made when it opens. `close` gives the focus back to the button. */
  readonly children: (close: () => void) => ReactNode
}

/** A button that opens a panel below it. Escape and a click elsewhere close it. */
export function Popover({ label, title, className = '', children }: PopoverProps) {
  const box = useRef<HTMLDetailsElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const close = () => {
    setIsOpen(false)
    box.current?.querySelector('summary')?.focus()
  }
  useEffect(() => {
    if (!isOpen) return
    const onPointer = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setIsOpen(false)
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [isOpen])
  return (
    <details
      ref={box}
      className={`popover ${className}`}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return
        close()
        event.stopPropagation()
      }}
    >
      <summary className="button" aria-label={label}>
        {title}
      </summary>
      {isOpen && children(close)}
    </details>
  )
}
