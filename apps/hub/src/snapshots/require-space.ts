import { OutOfSpace, type SnapshotStore } from '@tapdeck/recording'

/** A full disk would stop the recording as well. */
const DISK_RESERVE = 64 * 1024 * 1024

/** Throws `OutOfSpace` where a window of about so many bytes has no place in the snapshot storage or on the disk. */
export async function requireSpace(store: SnapshotStore, bytes: number): Promise<void> {
  const { free } = store.room
  if (bytes > free)
    throw new OutOfSpace(
      `The window has about ${bytes} bytes, and the snapshot storage has ${free} free`,
      bytes,
      free,
    )
  const onDisk = await store.freeOnDisk()
  if (bytes + DISK_RESERVE > onDisk)
    throw new OutOfSpace(
      `The window has about ${bytes} bytes, and the disk has ${onDisk} free, of which ${DISK_RESERVE} are reserved`,
      bytes,
      Math.max(0, onDisk - DISK_RESERVE),
    )
}
