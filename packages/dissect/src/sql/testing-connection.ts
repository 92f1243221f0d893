import { follow, Conversation as Talk } from '@tapdeck/wire/testing'
import { threadFastPaths } from '../accelerated/fast-paths.ts'
import type { Connection } from '../contract/dissector.ts'
import { defaultLimits } from '../contract/limits.ts'
import { Arena } from '../memory/arena.ts'
import type { Allowance } from '../memory/budget.ts'
import { Budget } from '../memory/budget.ts'

/** A connection without traffic, for its limits, budget and arena. */
export function aConnection(options: {
  readonly budget?: Allowance
  readonly frame?: number
  readonly body?: number
}): Connection {
  const [flow] = follow(new Talk().handshake().packets).recorder.flows
  const arena = new Arena()
  const { frame = defaultLimits.frame, body = defaultLimits.body } = options
  return {
    flow,
    limits: { ...defaultLimits, frame, body },
    budget: options.budget ?? new Budget(defaultLimits.total, {}),
    copy: (bytes, start, end) => arena.copy(bytes, start, end),
    arena,
    fastPaths: threadFastPaths,
  }
}
