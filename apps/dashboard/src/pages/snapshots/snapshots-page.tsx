import { useDissections, useSnapshots } from '../../client/use-hub.ts'
import { Empty } from '../../hints/empty.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { CompareDissections } from './compare-dissections.tsx'
import { CreateSnapshot } from './create-snapshot.tsx'
import { ImportDrop } from './import-drop.tsx'
import { RecordedRange } from './recorded-range.tsx'
import { SnapshotCard } from './snapshot-card.tsx'

/** Windows taken out of the recording ring, and what was dissected from them. */
export function SnapshotsPage() {
  const { data: snapshots, error } = useSnapshots()
  const { data: dissections = [] } = useDissections()
  const taken = snapshots?.map((snapshot) => snapshot.name) ?? []
  return (
    <main className="snapshots">
      <section className="make" aria-label="New snapshot">
        <h2>Recording ring</h2>
        <RecordedRange />
        <h2>New snapshot</h2>
        <CreateSnapshot taken={taken} />
        <h2>Import captures</h2>
        <ImportDrop taken={taken} />
      </section>
      <section className="made" aria-label="Snapshots">
        {error && <ProblemNote problem={error} />}
        {snapshots?.length === 0 && (
          <Empty icon="layers" title="No snapshots yet" docs="snapshots">
            <p>
              A snapshot keeps a window of the recording ring for good. Dissect it to query its calls, whether
              or not indexing was on at the time.
            </p>
            <p>
              Drag over the recording ring, or drop a capture file, or press{' '}
              <i>Keep and dissect this window</i> above the calls. In a terminal:{' '}
              <code>tapdeck snapshot create first --duration 5m</code>
            </p>
          </Empty>
        )}
        <CompareDissections dissections={dissections} />
        {snapshots?.map((snapshot) => (
          <SnapshotCard
            key={snapshot.name}
            snapshot={snapshot}
            taken={taken}
            dissections={dissections.filter((dissection) => dissection.snapshot_name === snapshot.name)}
          />
        ))}
      </section>
    </main>
  )
}
