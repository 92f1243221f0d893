/** Errors that say why a message is missing, as shown to users. */
const reasons: Readonly<Record<string, string | undefined>> = {
  no_response: 'no response',
  malformed_response: 'malformed response',
  gap: 'gap',
  midstream: 'midstream',
  truncated: 'truncated',
  unfinished: 'the observation ended before the response',
}

const ends: Readonly<Record<string, string | undefined>> = {
  closed_by_server: 'no response: the server closed the connection (FIN)',
  closed_by_client: 'no response: the client closed the connection (FIN)',
  reset_by_server: 'no response: the server reset the connection (RST)',
  reset_by_client: 'no response: the client reset the connection (RST)',
}

interface Outcome {
  readonly error?: string | undefined
  readonly connection_end?: string | undefined
}

/** Why a message is missing; undefined for an error of the protocol itself. */
export function whyMissing({ error, connection_end }: Outcome): string | undefined {
  if (error === undefined) return undefined
  return (connection_end === undefined ? undefined : ends[connection_end]) ?? reasons[error]
}
