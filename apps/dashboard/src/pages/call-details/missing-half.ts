/** What an error says where it tells of a half that nobody saw, and not of a failure. */
const reasons: Readonly<Record<string, string | undefined>> = {
  no_response: 'no response',
  gap: 'gap',
  midstream: 'midstream',
  truncated: 'truncated',
}

/** Why a half is missing; undefined where the error is the protocol's own, and nothing more was to be expected. */
export function whyMissing(error: string | undefined): string | undefined {
  return error === undefined ? undefined : reasons[error]
}
