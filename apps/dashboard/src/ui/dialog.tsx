import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react'

export interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onSubmit: () => void
  readonly onClose: () => void
}

/** A modal question. The browser keeps the focus inside, closes it on Escape and gives the focus back. */
export function Dialog({ title, children, onSubmit, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={titleId}>{title}</h2>
        {children}
      </form>
    </dialog>
  )
}
