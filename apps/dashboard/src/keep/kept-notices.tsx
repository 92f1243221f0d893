import { go } from '../address/use-address.ts'
import { countOf } from '../format/amount.ts'
import { timeWindow } from '../format/time.ts'
import { useStore } from '../live/use-store.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { ProblemNote } from '../ui/problem-note.tsx'
import { Progress } from '../ui/progress.tsx'
import { DISSECTION_NAME, type KeptWindow, type KeptWindows } from './kept-windows.ts'

/** What became of the windows that the user keeps, on every view. */
export function KeptNotices({ kept }: { readonly kept: KeptWindows }) {
  return useStore(kept.shown).map((one) => (
    <Notice key={one.name} kept={one} onClose={() => kept.close(one.name)} />
  ))
}

function Notice({ kept, onClose }: { readonly kept: KeptWindow; readonly onClose: () => void }) {
  const { name, step, progress, calls = 0, problem } = kept
  const closer = (
    <button type="button" className="button bare square" aria-label={`Close: ${name}`} onClick={onClose}>
      <Icon name="close" />
    </button>
  )
  if (problem) return <ProblemNote problem={problem}>{closer}</ProblemNote>
  return (
    <div className="notice" role="status">
      <Icon name={step === 'done' ? 'check' : 'keep'} />
      <div className="grow">
        <p>
          <b className="mono">{name}</b> {step === 'copying' && 'Keeping the packets…'}
          {step === 'dissecting' && 'Dissecting…'}
          {step === 'done' && `${countOf(calls, 'call')}${kept.partial ? ', partial' : ''}`}
        </p>
        <p className="soft">{timeWindow(kept.window.start, kept.window.end)}</p>
        {step !== 'done' && <Progress value={progress} label={`Progress of ${name}`} />}
      </div>
      {step === 'done' && (
        <Button
          look="primary"
          icon="open"
          onClick={() => {
            onClose()
            const db = `${name}/${DISSECTION_NAME}`
            go({ view: 'calls', db, start: undefined, end: undefined, call: undefined })
          }}
        >
          Open
        </Button>
      )}
      {closer}
    </div>
  )
}
