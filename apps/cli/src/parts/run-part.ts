import type { Boot } from '@tapdeck/config'
import { endOf, type PartName, startPart, stopPart } from './part.ts'
import { onStopRequest } from './stop-request.ts'

/** Runs one part in the foreground and resolves with its exit status. */
export async function runPart(
  name: PartName,
  boot: Boot,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const part = startPart(name, boot, env)
  const forget = onStopRequest(() => stopPart(part))
  // A job that was stopped has no result.
  const status = await endOf(part, name === 'dissect-job' ? 1 : 0)
  forget()
  return status
}
