import { useEffect, useState } from 'react'
import { hubNow } from '../client/hub-clock.ts'

/** The hub's time, told again every so many milliseconds while `active`. */
export function useNow(everyMs: number, active = true): number {
  const [now, setNow] = useState(hubNow)
  useEffect(() => {
    if (!active) return
    setNow(hubNow())
    const timer = setInterval(() => setNow(hubNow()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, active])
  return now
}
