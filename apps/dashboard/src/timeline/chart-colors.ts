import { useEffect, useState } from 'react'

/** The colours of the style sheet that a canvas needs as values. */
export interface ChartColors {
  readonly calls: string
  readonly errors: string
  readonly latency: string
  readonly axis: string
  readonly grid: string
  readonly lost: string
  readonly unindexed: string
}

/** Follows the light and the dark theme of the system. */
export function useChartColors(): ChartColors {
  const [colors, setColors] = useState(readColors)
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const reread = () => setColors(readColors())
    dark.addEventListener('change', reread)
    return () => dark.removeEventListener('change', reread)
  }, [])
  return colors
}

function readColors(): ChartColors {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(name).trim()
  return {
    calls: of('--chart-calls'),
    errors: of('--chart-errors'),
    latency: of('--chart-latency'),
    axis: of('--soft'),
    grid: of('--hair'),
    lost: of('--chart-lost'),
    unindexed: of('--chart-unindexed'),
  }
}
