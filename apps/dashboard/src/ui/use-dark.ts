import { useEffect, useState } from 'react'

const query = '(prefers-color-scheme: dark)'

/** Whether the system asks for the dark theme now. */
export function useDark(): boolean {
  const [isDark, setIsDark] = useState(() => matchMedia(query).matches)
  useEffect(() => {
    const media = matchMedia(query)
    const reread = () => setIsDark(media.matches)
    media.addEventListener('change', reread)
    return () => media.removeEventListener('change', reread)
  }, [])
  return isDark
}

/** The value that a name of the style sheet has now, for a canvas. */
export function styleValue(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
