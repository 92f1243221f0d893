import { useMemo } from 'react'
import { styleValue, useDark } from '../ui/use-dark.ts'

/** The colours of the style sheet that a canvas needs as values. */
export interface ChartColors {
  readonly calls: string
  readonly errors: string
  readonly latency: string
  readonly axis: string
  readonly ground: string
  readonly grid: string
  readonly lost: string
  readonly unindexed: string
}

/** Follows the light and the dark theme of the system. */
export function useChartColors(): ChartColors {
  const isDark = useDark()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the style sheet says
  return useMemo(
    () => ({
      calls: styleValue('--chart-calls'),
      errors: styleValue('--chart-errors'),
      latency: styleValue('--chart-latency'),
      axis: styleValue('--soft'),
      ground: styleValue('--ground'),
      grid: styleValue('--hair'),
      lost: styleValue('--chart-lost'),
      unindexed: styleValue('--chart-unindexed'),
    }),
    [isDark],
  )
}
