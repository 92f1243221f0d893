export const mapLevels = ['service', 'workload', 'pod', 'namespace', 'node'] as const
export type MapLevel = (typeof mapLevels)[number]

/** What the map shows and how. */
export interface MapChoice {
  readonly level: MapLevel
  /** The node that the map is narrowed to, with its neighbours. */
  readonly focus: string | undefined
  /** Protocols whose edges are hidden. */
  readonly hidden: readonly string[]
  readonly onlyErrors: boolean
  /** Each namespace has a place of its own. */
  readonly byNs: boolean
  /** Addresses without a name are shown one by one, not as one node. */
  readonly outside: boolean
  /** With the time before, of the same length. */
  readonly compare: boolean
  readonly asTable: boolean
}

const flags = ['onlyErrors', 'byNs', 'outside', 'compare', 'asTable'] as const

/** The choice as the address of the page holds it. What cannot be read is left out. */
export function readMapChoice(text: string): MapChoice {
  const parameters = new URLSearchParams(text)
  const isOn = (flag: (typeof flags)[number]) => parameters.has(flag)
  return {
    level: mapLevels.find((level) => level === parameters.get('level')) ?? 'service',
    focus: parameters.get('focus') || undefined,
    hidden: parameters.getAll('hide'),
    onlyErrors: isOn('onlyErrors'),
    byNs: isOn('byNs'),
    outside: isOn('outside'),
    compare: isOn('compare'),
    asTable: isOn('asTable'),
  }
}

/** Empty for the map as it begins. */
export function writeMapChoice(choice: MapChoice): string {
  const parameters = new URLSearchParams()
  if (choice.level !== 'service') parameters.set('level', choice.level)
  if (choice.focus) parameters.set('focus', choice.focus)
  for (const protocol of choice.hidden) parameters.append('hide', protocol)
  for (const flag of flags) if (choice[flag]) parameters.set(flag, '1')
  return parameters.toString()
}
