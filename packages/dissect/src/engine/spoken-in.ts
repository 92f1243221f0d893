import type { Flow } from '@tapdeck/wire'
import { FollowedFlow } from './followed-flow.ts'
import { PlainFlow } from './plain-flow.ts'

const NO_NAMES: readonly string[] = []

/** The protocols of the calls that a flow had so far. */
export function spokenIn({ state }: Flow): readonly string[] {
  return state instanceof FollowedFlow || state instanceof PlainFlow ? state.spoken : NO_NAMES
}
