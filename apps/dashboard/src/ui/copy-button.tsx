import { useEffect, useState } from 'react'
import { tell } from './alerts.tsx'
import { Button } from './button.tsx'

export interface CopyButtonProps {
  readonly text: () => string
  readonly children: string
  /** The children say only what it is copied as: an icon says the rest to those who see it. */
  readonly isForm?: boolean
}

/** Copies a text that is made only when asked for. */
export function CopyButton({ text, children, isForm = false }: CopyButtonProps) {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), 1500)
    return () => clearTimeout(timer)
  }, [done])
  const copy = async () => {
    try {
      await write(text())
      setDone(true)
    } catch {
      tell(new Error('The browser did not allow copying.'))
    }
  }
  return (
    <Button
      icon={done ? 'check' : 'copy'}
      look="bare"
      title={isForm ? `Copy as ${children}` : undefined}
      onClick={() => void copy()}
    >
      <span aria-live="polite">
        {isForm && !done && <span className="unseen">Copy as </span>}
        {done ? 'Copied' : children}
      </span>
    </Button>
  )
}

/** Browsers offer the clipboard only to pages from localhost or over TLS; elsewhere the old way still works. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  if (!copied) throw new Error('refused')
}
