import { follow, Conversation as Talk } from '@tapdeck/wire/testing'
import { Arena } from '../arena.ts'
import type { Allowance } from '../budget.ts'
import { Budget } from '../budget.ts'
import type { Connection } from '../dissector.ts'
import { defaultLimits } from '../limits.ts'

/** A connection that nothing flows through, for what only needs its limits, its budget and its arena. */
export function aConnection(options: {
  readonly budget?: Allowance
  readonly frame?: number
  readonly body?: number
}): Connection {
  const [flow] = follow(new Talk().handshake().packets).told.flows
  const arena = new Arena()
  const { frame = defaultLimits.frame, body = defaultLimits.body } = options
  return {
    flow,
    limits: { ...defaultLimits, frame, body },
    budget: options.budget ?? new Budget(defaultLimits.total, {}),
    copy: (bytes, start, end) => arena.copy(bytes, start, end),
    arena,
  }
}
