import { useCaller } from '../client/caller.ts'
import { useStore } from '../live/use-store.ts'
import type { TimeWindow } from '../time/time-window.ts'
import { Button } from '../ui/button.tsx'
import { useKeptWindows } from './keep-context.ts'
import { windowName } from './window-name.ts'

/** One click: the packets of the window on screen become a snapshot, and the snapshot is dissected. */
export function KeepButton({ window }: { readonly window: () => TimeWindow }) {
  const caller = useCaller()
  const kept = useKeptWindows()
  const isBusy = useStore(kept.shown).some(({ step }) => step === 'copying' || step === 'dissecting')
  return (
    <Button
      icon="keep"
      busy={isBusy}
      reason={caller.reasonAgainst('snapshot:write') ?? caller.reasonAgainst('snapshot:dissection')}
      title="Makes a snapshot of the packets of this window and dissects it, so that it outlives the recording ring"
      onClick={() => {
        const { start, end } = window()
        void kept.keep({ start, end }, windowName('window', start))
      }}
    >
      Keep and dissect this window
    </Button>
  )
}
