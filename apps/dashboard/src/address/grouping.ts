/** What calls can be counted by, and how that reads after "by". */
export const groupings = [
  ['service', 'service'],
  ['workload', 'workload'],
  ['src', 'source'],
  ['dst', 'destination'],
  ['path', 'path'],
  ['status', 'status'],
  ['proto', 'protocol'],
  ['ns', 'namespace'],
  ['node', 'node'],
] as const

export type Grouping = (typeof groupings)[number][0]

export function isGrouping(text: string | null): text is Grouping {
  return groupings.some(([name]) => name === text)
}
