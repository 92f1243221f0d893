import { Problem } from '@tapdeck/api'

const hint = 'Send Authorization: Bearer <token>, or log in at the dashboard.'

/** 401: nothing that proves who asks, or nothing that is accepted. What exactly was wrong goes to the log, not to the caller. */
export function badCredential(detail = 'this credential is not accepted'): Problem {
  return new Problem(401, 'bad_credential', detail, { hint })
}

export function noCredential(): Problem {
  return new Problem(401, 'no_credential', 'this hub identifies its callers', { hint })
}

/** 503: the credential may be good, but whoever could say so does not answer. */
export function cannotTell(who: string): Problem {
  return new Problem(
    503,
    'identity_unavailable',
    `${who} does not answer, so this credential cannot be checked now`,
    {
      hint: 'The credential may well be good: try again. API tokens work without it.',
    },
  )
}
