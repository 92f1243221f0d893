import type { Connections, Evidence, Party } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings } from '../statistics.ts'

const MIN_ZERO_WINDOWS = 3

/** Receivers that accept no more data: they read too slowly, and the sender must wait. */
export function zeroWindow({ connections, before }: Evidence): Finding[] {
  return connections.flatMap((one) => {
    const { client, server, zeroWindows } = one
    if (zeroWindows < MIN_ZERO_WINDOWS) return []
    const { receiver, began, against } = receiverOf(one)
    const sender = receiver === client ? server : client
    const isOld = before !== undefined && began !== undefined && began <= before.to
    return [
      {
        kind: 'zero_window',
        score: isOld ? 42 : 58 + 4 * doublings(zeroWindows / MIN_ZERO_WINDOWS),
        what: `${receiver.name} does not read what ${sender.name} sends (zero window)`,
        after: `${zeroWindows} zero windows`,
        ...(began !== undefined && { began }),
        client,
        server,
        selection: { client, server, hasZeroWindow: true },
        against: isOld ? [...against, 'It began before the change.'] : against,
      },
    ]
  })
}

interface Receiver {
  readonly receiver: Party
  readonly began?: number
  readonly against: readonly string[]
}

/** The side that closed its window, the first of both; of older indexes, the side that gets more bytes. */
function receiverOf(one: Connections): Receiver {
  const { client, server, clientZeroWindow, serverZeroWindow, requestBytes, responseBytes } = one
  if (clientZeroWindow === undefined && serverZeroWindow === undefined) {
    const receiver = responseBytes > requestBytes ? client : server
    return { receiver, against: [`That it is ${receiver.name} is inferred: most bytes go to it.`] }
  }
  const isClient =
    serverZeroWindow === undefined || (clientZeroWindow !== undefined && clientZeroWindow <= serverZeroWindow)
  const [receiver, began] = isClient ? [client, clientZeroWindow] : [server, serverZeroWindow]
  const other = isClient ? serverZeroWindow : clientZeroWindow
  return {
    receiver,
    ...(began !== undefined && { began }),
    against:
      other === undefined ? [] : [`${isClient ? server.name : client.name} closed its window too, later.`],
  }
}
