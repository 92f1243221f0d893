import { callChecks } from './call-checks.ts'
import type { Check } from './check.ts'
import { dimensionChecks } from './dimension-checks.ts'
import { durabilityChecks } from './durability-checks.ts'
import { flowPageChecks, flowStateChecks } from './flow-checks.ts'
import { pageChecks } from './page-checks.ts'
import { statsChecks } from './stats-checks.ts'

/** What every engine of the index must do. An engine's own tests run them all, and then what is special about it. */
export const contract: readonly Check[] = [
  ...callChecks,
  ...pageChecks,
  ...statsChecks,
  ...dimensionChecks,
  ...flowPageChecks,
  ...flowStateChecks,
  ...durabilityChecks,
]
