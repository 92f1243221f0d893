import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface ButtonProps {
  readonly children: ReactNode
  readonly onClick?: () => void
  readonly icon?: IconName
  readonly look?: 'plain' | 'primary' | 'danger' | 'bare'
  readonly type?: 'button' | 'submit'
  readonly title?: string | undefined
  /** Why it is disabled. It stays in the tab order, so that the reason is accessible. */
  readonly reason?: string | undefined
  readonly busy?: boolean
  readonly autoFocus?: boolean
  readonly label?: string
}

export function Button(props: ButtonProps) {
  const { children, icon, look = 'plain', type = 'button', reason, busy = false, label } = props
  const blocked = reason !== undefined || busy
  return (
    <button
      type={type}
      className={`button ${look}`}
      title={reason ?? props.title}
      aria-label={label}
      aria-disabled={blocked || undefined}
      aria-busy={busy || undefined}
      // biome-ignore lint/a11y/noAutofocus: only in dialogs, where the first control is where people expect to be
      autoFocus={props.autoFocus}
      onClick={(event) => {
        if (blocked) event.preventDefault()
        else props.onClick?.()
      }}
    >
      {busy ? <span className="spinner" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  )
}
