import { type Dissector, UNTIL_CLOSE } from '../contract/dissector.ts'

/** What a protocol does that is never detected by itself: others, or the engine, emit calls in its name. */
export const spokenFor = {
  transports: [],
  ports: [],
  probe: () => 'no',
  open: () => ({ frame: () => UNTIL_CLOSE, decode: () => undefined }),
} as const satisfies Pick<Dissector, 'transports' | 'ports' | 'probe' | 'open'>
