/** What a filter may cost. Each bound is checked before the work that it bounds. */

/** Characters. Twice what the API accepts, because the namespaces of a role are added to the caller's filter. */
export const MAX_TEXT = 16 * 1024

/** Names, values, operators and brackets. */
export const MAX_TOKENS = 4096

/** Deeper than people nest, and shallow enough that no pass over the tree can run out of stack. */
export const MAX_DEPTH = 200

/** Conditions and values after short names are expanded: `a ? b : c` and `src contains "x"` become several each. */
export const MAX_NODES = 15_000

/** Work of one regular expression on one text; a call that needs more does not match. Ordinary patterns need none. */
export const MAX_REGEX_STEPS = 2_000_000

/** Instructions and character ranges of all regular expressions of a filter together. */
export const MAX_REGEX_SIZE = 8000
