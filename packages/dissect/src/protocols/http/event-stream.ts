/** What a stream of server-sent events carried. */
export interface EventStream {
  readonly events: number
  /** Their types, each once, where they have any. */
  readonly event_types?: readonly string[]
  readonly last_event_id?: string
}

const MAX_TYPES = 32

/** An event is between empty lines and has data; comments keep the connection alive. */
export function readEventStream(text: string): EventStream {
  const types = new Set<string>()
  let events = 0
  let lastId: string | undefined
  let type = ''
  let data = false
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data) {
        events++
        if (type !== '' && types.size < MAX_TYPES) types.add(type)
      }
      type = ''
      data = false
    } else if (line.startsWith('data')) data ||= line.length === 4 || line[4] === ':'
    else if (line.startsWith('event:')) type = line.slice(6).trim()
    else if (line.startsWith('id:')) lastId = line.slice(3).trim()
  }
  return {
    events,
    ...(types.size > 0 ? { event_types: [...types] } : {}),
    ...(lastId === undefined ? {} : { last_event_id: lastId }),
  }
}
