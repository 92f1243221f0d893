import type { Caller } from '../access/caller.ts'
import { visibilityOf } from '../access/visibility.ts'
import type { CallSource } from '../query/call-source.ts'
import { redactedSource } from '../query/redacted-source.ts'
import { scopedSource } from '../query/scoped-source.ts'
import type { HubServices } from './hub-services.ts'

/** The sources as far as the caller may see what they hold. */
export function shownTo(caller: Caller, sources: readonly CallSource[], services: HubServices): CallSource[] {
  const { catalog, now } = services
  const visibility = visibilityOf(caller)
  const seen = visibility
    ? sources.map((source) => scopedSource(source, visibility, catalog, now))
    : [...sources]
  const redactor = services.redactions.of(caller)
  return redactor ? seen.map((source) => redactedSource(source, redactor, catalog, now)) : seen
}
