interface Gap {
  readonly node: string
  readonly from_ts: number
  readonly to_ts: number
  readonly detail: string
}

/** What a capture says about a time that was not recorded. */
export function notRecorded({ node, from_ts, to_ts, detail }: Gap): string {
  return `${node}: nothing was recorded from ${instant(from_ts)} to ${instant(to_ts)}: ${detail}`
}

function instant(time: number): string {
  return new Date(time).toISOString()
}
