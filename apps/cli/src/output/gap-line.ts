/** One line for a time of which nothing was recorded. */
export function gapLine({ node, from_ts, to_ts, reason }: Gap): string {
  return `${new Date(from_ts).toISOString()} to ${new Date(to_ts).toISOString()} on ${node}: ${reason}`
}

interface Gap {
  readonly node: string
  readonly from_ts: number
  readonly to_ts: number
  readonly reason: string
}
