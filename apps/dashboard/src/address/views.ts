import type { Capability } from '@tapdeck/api'
import type { Caller } from '../client/caller.ts'
import type { IconName } from '../ui/icon.tsx'

interface ListedView {
  readonly title: string
  readonly icon: IconName
  /** Shown only to callers who have it. */
  readonly capability?: Capability
}

/** THE list of views, in the order of the navigation; `app.tsx` has the page of each. */
export const views = {
  calls: { title: 'Calls', icon: 'wave' },
  suspects: { title: 'Suspects', icon: 'search' },
  map: { title: 'Map', icon: 'map' },
  stats: { title: 'Stats', icon: 'bars' },
  flows: { title: 'Flows', icon: 'flows' },
  events: { title: 'Events', icon: 'bell' },
  nodes: { title: 'Nodes', icon: 'nodes' },
  snapshots: { title: 'Snapshots', icon: 'layers', capability: 'snapshot:read' },
  recordings: { title: 'Recordings', icon: 'stop', capability: 'snapshot:read' },
  settings: { title: 'Settings', icon: 'edit' },
  docs: { title: 'Docs', icon: 'book' },
} as const satisfies Readonly<Record<string, ListedView>>

export type View = keyof typeof views

export const viewNames = Object.keys(views) as readonly View[]

export function mayOpen(view: View, caller: Caller): boolean {
  const { capability }: ListedView = views[view]
  return capability === undefined || caller.can(capability)
}
