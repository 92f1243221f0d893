import { useIsMutating, useMutation } from '@tanstack/react-query'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { tell } from '../../ui/alerts.tsx'

export interface SwitchControl {
  /** Undefined until the hub has told. */
  readonly enabled: boolean | undefined
  readonly busy: boolean
  /** Why it cannot be turned now. */
  readonly reason: string | undefined
  /** The reason is that the hub does not answer. */
  readonly isOffline: boolean
  turn(on: boolean): void
}

const key = ['turn-switch']

/** The Traffic Indexing switch. It shows only what the hub said, never what was merely asked for. */
export function useTurnSwitch(): SwitchControl {
  const session = useSession()
  const caller = useCaller()
  const state = useStore(session.switch)
  const reachable = useStore(session.isReachable)
  const busy = useIsMutating({ mutationKey: key }) > 0
  const mutation = useMutation({
    mutationKey: key,
    mutationFn: async (on: boolean) => {
      const answer = await hub.turnSwitch(on)
      session.switch.set(await hub.switchState())
      return answer
    },
    onSuccess: (answer) => {
      if (!answer.success) tell(new Error('Not every node has followed the switch yet.'))
    },
    onError: tell,
  })
  const offline = reachable ? undefined : 'The hub does not answer.'
  return {
    enabled: state?.enabled,
    busy,
    isOffline: !reachable,
    reason: caller.reasonAgainst('dissection:control') ?? offline,
    turn: (on) => {
      if (!busy) mutation.mutate(on)
    },
  }
}
