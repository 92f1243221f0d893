import type { Flow } from '@tapdeck/wire'
import { DatagramFlow } from './datagram/datagram-flow.ts'
import { IdleDatagramState } from './datagram/idle-datagram-state.ts'
import { FollowedFlow } from './followed-flow.ts'

const NO_NAMES: readonly string[] = []

/** The protocols of the calls of a flow so far. */
export function protocolsSeen({ state }: Flow): readonly string[] {
  const hasState =
    state instanceof FollowedFlow || state instanceof DatagramFlow || state instanceof IdleDatagramState
  return hasState ? state.protocolsSeen : NO_NAMES
}
