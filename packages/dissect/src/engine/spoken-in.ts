import type { Flow } from '@tapdeck/wire'
import { Answered } from './answered.ts'
import { FollowedFlow } from './followed-flow.ts'
import { PlainFlow } from './plain-flow.ts'

const NO_NAMES: readonly string[] = []

/** The protocols of the calls that a flow had so far. */
export function spokenIn({ state }: Flow): readonly string[] {
  const tells = state instanceof FollowedFlow || state instanceof PlainFlow || state instanceof Answered
  return tells ? state.spoken : NO_NAMES
}
