import type { Change, MapGraph } from './map-graph.ts'
import type { MapLayout } from './map-layout.ts'

export interface MapColors {
  readonly ground: string
  readonly box: string
  readonly line: string
  readonly text: string
  readonly soft: string
  readonly accent: string
  readonly bad: string
  readonly changes: Readonly<Record<Change, string>>
}

export interface MapScene {
  readonly graph: MapGraph
  readonly layout: MapLayout
  readonly colors: MapColors
  /** Ids of nodes that are looked for; all where nothing is. */
  readonly found: ReadonlySet<string> | undefined
  readonly hovered: { readonly node?: string; readonly edge?: string }
  readonly isCompared: boolean
  readonly byNs: boolean
}
