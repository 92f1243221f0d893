/** Errors that say why a message is missing, as shown to users. */
const reasons: Readonly<Record<string, string | undefined>> = {
  no_response: 'no response',
  malformed_response: 'malformed response',
  gap: 'gap',
  midstream: 'midstream',
  truncated: 'truncated',
  unfinished: 'the observation ended before the response',
}

/** Why a message is missing; undefined for an error of the protocol itself. */
export function whyMissing(error: string | undefined): string | undefined {
  return error === undefined ? undefined : reasons[error]
}
