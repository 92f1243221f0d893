import type { CoverageReport, WorkerReport } from '@tapdeck/api'

/** Leaves out gaps that the hub already has: a report is sent every second, and gaps rarely change. */
export class ReportedGaps {
  #recorded: CoverageReport['gaps']
  #indexed: CoverageReport['gaps']

  /** All gaps, for a new connection. */
  all(report: WorkerReport): WorkerReport {
    this.#recorded = report.coverage?.recorded.gaps
    this.#indexed = report.coverage?.indexed.gaps
    return report
  }

  onlyNew(report: WorkerReport): WorkerReport {
    const { coverage } = report
    if (!coverage) return report
    const recorded = withoutKnown(coverage.recorded, this.#recorded)
    const indexed = withoutKnown(coverage.indexed, this.#indexed)
    this.all(report)
    return { ...report, coverage: { recorded, indexed } }
  }
}

function withoutKnown(report: CoverageReport, known: CoverageReport['gaps']): CoverageReport {
  if (JSON.stringify(report.gaps) !== JSON.stringify(known)) return report
  const { gaps: _, ...rest } = report
  return rest
}
