import { useMemo } from 'react'
import { styleValue, useDark } from '../../ui/use-dark.ts'
import type { MapColors } from './map-scene.ts'

/** The colours of the map in the theme of the system. */
export function useMapColors(): MapColors {
  const isDark = useDark()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides what the style sheet says
  return useMemo(
    () => ({
      ground: styleValue('--ground'),
      box: styleValue('--raised'),
      line: styleValue('--map-line'),
      text: styleValue('--text'),
      soft: styleValue('--soft'),
      accent: styleValue('--accent'),
      bad: styleValue('--chart-errors'),
      changes: {
        new: styleValue('--accent'),
        gone: styleValue('--soft'),
        slower: styleValue('--chart-lost'),
        failing_more: styleValue('--chart-errors'),
      },
    }),
    [isDark],
  )
}
