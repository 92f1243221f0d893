import { Problem } from '@tapdeck/api'

const hint = 'Send Authorization: Bearer <token>, or log in at the dashboard.'

/** 401: nothing that proves who asks, or nothing that is accepted. What exactly was wrong goes to the log, not to the caller. */
export function badCredential(detail = 'Invalid credential'): Problem {
  return new Problem(401, 'bad_credential', detail, { hint })
}

export function noCredential(): Problem {
  return new Problem(401, 'no_credential', 'Authentication required', { hint })
}

/** 503: the credential may be valid, but the verifier does not respond. */
export function verifierUnavailable(who: string): Problem {
  return new Problem(503, 'identity_unavailable', `Cannot verify this credential: ${who} does not respond`, {
    hint: 'The credential may be valid: try again later, or use an API token, which is verified by the hub itself.',
  })
}
